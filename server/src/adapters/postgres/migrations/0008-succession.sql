-- Whether a new leader has to wait for the lease of the one before it. See docs/adr/0128.

-- Each fact names the epoch that it is about: a leader of an older version writes none of them, and takes none away.
-- process: who leads, as the machine knows it. begun: this epoch had the right to act, so nobody before it has. ended: this
-- epoch gave its right back before it let go of the lock.
ALTER TABLE leader
  ADD COLUMN process jsonb CHECK (jsonb_typeof(process) = 'object'),
  ADD COLUMN process_epoch bigint,
  ADD COLUMN begun_epoch bigint,
  ADD COLUMN ended_epoch bigint;

-- Removing what garbage collection has marked is a part of its own, some objects each minute. See docs/adr/0124.

-- urgent: a person has asked for this home to be gone. These go before everything else that waits.
-- retry_at: it was given up at least once; if the store did not remove it, it is tried again from then on.
ALTER TABLE gc_marks
  ADD COLUMN urgent boolean NOT NULL DEFAULT false,
  ADD COLUMN retry_at timestamptz(3);
DROP INDEX gc_marks_by_age;
CREATE INDEX gc_marks_by_turn ON gc_marks (urgent DESC, marked_at);

-- What the last listing saw: how many objects, and how many of them stay for which reason and until when at least.
ALTER TABLE deployment
  ADD COLUMN gc_listed bigint NOT NULL DEFAULT 0,
  ADD COLUMN gc_kept jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(gc_kept) = 'array');
-- Until now this time was written every minute, whether anything was listed or not.
UPDATE deployment SET gc_last_run_at = NULL;

CREATE TABLE gc_removals (
  at timestamptz(3) PRIMARY KEY DEFAULT clock_timestamp(),
  removed integer NOT NULL CHECK (removed > 0)
);

GRANT UPDATE (gc_listed, gc_kept) ON deployment TO codehub_coordinator;
GRANT SELECT, INSERT, UPDATE, DELETE ON gc_removals TO codehub_coordinator;
GRANT SELECT ON gc_removals TO codehub_api;

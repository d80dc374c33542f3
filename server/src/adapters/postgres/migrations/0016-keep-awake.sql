-- How much time awake a workspace's own page has asked for since when: what runs in a workspace can ask as its page does,
-- so that there is an end to it. See docs/adr/0063.
ALTER TABLE workspaces
  ADD COLUMN awake_asked_from timestamptz(3),
  ADD COLUMN awake_asked_seconds integer NOT NULL DEFAULT 0 CHECK (awake_asked_seconds >= 0);

GRANT UPDATE (awake_asked_from, awake_asked_seconds) ON workspaces TO codehub_api;

-- They change only together with keep_awake_until, which the triggers look at.

-- The repository that a home should have, and the requests to get it there. See docs/adr/0059.
ALTER TABLE workspaces
  ADD COLUMN source jsonb CHECK (jsonb_typeof(source) = 'object'),
  ADD COLUMN setup_wanted bigint NOT NULL DEFAULT 0,
  ADD COLUMN setup_skipped bigint NOT NULL DEFAULT 0,
  ADD COLUMN keys_allowed boolean NOT NULL DEFAULT true,
  DROP CONSTRAINT workspaces_operation_check,
  ADD CONSTRAINT workspaces_operation_check
    CHECK (operation IN ('NONE', 'PROVISIONING', 'CREATE_EMPTY_ARCHIVE', 'RESTORING', 'PREPARING', 'STARTING', 'STOPPING',
                         'ARCHIVING', 'DISCARDING', 'DELETING'));
ALTER TABLE workspace_events
  DROP CONSTRAINT workspace_events_operation_check,
  ADD CONSTRAINT workspace_events_operation_check
    CHECK (operation IN ('PROVISIONING', 'CREATE_EMPTY_ARCHIVE', 'RESTORING', 'PREPARING', 'STARTING', 'STOPPING', 'ARCHIVING',
                         'DISCARDING', 'DELETING'));

-- Whether somebody has a repository open already.
CREATE INDEX workspaces_of_source ON workspaces (owner_id, (source ->> 'key')) WHERE source IS NOT NULL AND deleted_at IS NULL;

GRANT INSERT (source, setup_wanted, keys_allowed) ON workspaces TO codehub_api;
GRANT UPDATE (source, setup_wanted, setup_skipped, keys_allowed) ON workspaces TO codehub_api;

-- Every request that counts has a new desired_version, which the triggers look at.

-- What git said when it was got.
CREATE TABLE setup_logs (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  log text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
GRANT SELECT ON setup_logs TO codehub_api;
GRANT SELECT, INSERT, UPDATE ON setup_logs TO codehub_coordinator;

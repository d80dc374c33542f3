-- What a repository's own set-up file means for its workspace, and whose commands people have agreed to. See docs/adr/0061.
ALTER TABLE setup_logs ADD COLUMN plan jsonb CHECK (jsonb_typeof(plan) = 'object');

CREATE TABLE allowed_commands (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- host/path, as in the source of a workspace.
  repository text NOT NULL,
  digest text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, repository, digest)
);
GRANT SELECT, INSERT ON allowed_commands TO codehub_api;
GRANT SELECT ON allowed_commands TO codehub_coordinator;

-- Whether what a person keeps for git works, asked by the person and answered by a job. See docs/adr/0062.
-- Usable from schema 10 on.
CREATE TABLE credential_checks (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The SSH key, or the credential for this very host.
  kind text NOT NULL CHECK (kind IN ('ssh', 'https')),
  host text NOT NULL,
  clone_url text NOT NULL,
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'running', 'done')),
  code text,
  fields jsonb CHECK (jsonb_typeof(fields) = 'object'),
  finished_at timestamptz(3),
  CHECK ((state = 'done') = (code IS NOT NULL)),
  CHECK ((state = 'done') = (fields IS NOT NULL)),
  CHECK ((state = 'done') = (finished_at IS NOT NULL))
);
-- One after the other, and found without looking at those that are answered.
CREATE UNIQUE INDEX credential_checks_open ON credential_checks (user_id) WHERE state <> 'done';
CREATE INDEX credential_checks_by_user ON credential_checks (user_id, asked_at);
CREATE INDEX credential_checks_done ON credential_checks (finished_at) WHERE state = 'done';

GRANT SELECT, INSERT (id, user_id, kind, host, clone_url) ON credential_checks TO codehub_api;
GRANT SELECT, UPDATE (state, code, fields, finished_at), DELETE ON credential_checks TO codehub_coordinator;

-- Somebody waits for it. As with workspaces, a hint: whoever leads looks anyhow.
CREATE FUNCTION credential_checks_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('check_asked', json_build_object('id', NEW.id, 'user_id', NEW.user_id, 'version', 0)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER credential_checks_asked AFTER INSERT ON credential_checks
  FOR EACH ROW EXECUTE FUNCTION credential_checks_notify();

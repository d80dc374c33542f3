-- What workspaces are called in host names, in words. Nothing of it is ever taken back: what a browser has kept of an address must
-- not meet another workspace there. So this outlives what it is about, and nobody may change or delete it. See docs/adr/0064.
CREATE TABLE addresses (
  label text PRIMARY KEY CHECK (label ~ '^[a-z0-9-]{1,50}$'),
  workspace_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (workspace_id, label)
);
GRANT SELECT, INSERT ON addresses TO codehub_api;

-- Null: it is served under its id.
ALTER TABLE workspaces
  ADD COLUMN address text,
  ADD CONSTRAINT workspaces_address_fkey FOREIGN KEY (id, address) REFERENCES addresses (workspace_id, label);
GRANT INSERT (address), UPDATE (address) ON workspaces TO codehub_api;

CREATE TRIGGER workspaces_moved_sse AFTER UPDATE ON workspaces
  FOR EACH ROW WHEN (OLD.address IS DISTINCT FROM NEW.address)
  EXECUTE FUNCTION workspaces_notify('ws_sse');

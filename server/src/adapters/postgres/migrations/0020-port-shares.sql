-- Ports of workspaces that others than the owner may open. See docs/adr/0066.
-- Usable from schema 19 on.
CREATE TABLE port_shares (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
  audience text NOT NULL CHECK (audience IN ('users', 'public')),
  -- Null: until it is closed.
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, port)
);
CREATE INDEX port_shares_expired ON port_shares (expires_at) WHERE expires_at IS NOT NULL;

-- One is replaced by another, never changed.
GRANT SELECT, INSERT, DELETE ON port_shares TO codehub_api;

-- Who passes requests on looks again. As with workspaces, a hint: it looks anyhow.
CREATE FUNCTION port_shares_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('port_share', json_build_object('id', coalesce(NEW.workspace_id, OLD.workspace_id), 'user_id', '', 'version', 0)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER port_shares_changed AFTER INSERT OR DELETE ON port_shares
  FOR EACH ROW EXECUTE FUNCTION port_shares_notify();

-- What comes back from the trash or is somebody else's now, and whoever is enabled again, shares nothing that nobody has thought of since.
CREATE FUNCTION port_shares_close() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'workspaces' THEN
    DELETE FROM port_shares WHERE workspace_id = NEW.id;
  ELSE
    DELETE FROM port_shares s USING workspaces w WHERE w.id = s.workspace_id AND w.owner_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER workspaces_unshared AFTER UPDATE ON workspaces FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL OR OLD.owner_id IS DISTINCT FROM NEW.owner_id)
  EXECUTE FUNCTION port_shares_close();
CREATE TRIGGER users_disabled_unshared AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION port_shares_close();

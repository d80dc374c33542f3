-- Usable from schema 16 on.
--
-- A user who was deleted stays as a name: the audit log speaks of them, and nobody else is ever called so. Whoever does not know
-- of it takes them for disabled, and cannot enable them. See docs/adr/0068.
ALTER TABLE users
  ADD COLUMN deleted_at timestamptz(3),
  -- In place of LIMITS_MAX_RUNNING_PER_USER.
  ADD COLUMN max_running integer CHECK (max_running >= 0),
  ADD CONSTRAINT users_deleted_are_disabled CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL);

-- What belonged to them can be given to somebody else. It changes only together with desired_version, which the triggers look at.
GRANT UPDATE (owner_id) ON workspaces TO codehub_api;

-- What people keep for their workspaces: who they are to git, SSH keys, credentials, variables and secrets. Every value is
-- sealed with a key that is not in this database (SECRETS_KEY_FILE), and bound to its row: moved to another owner, scope, name or id it
-- does not open. See docs/adr/0057.
-- Usable from schema 10 on.

-- The keys by name, and by what they are recognised: an HMAC of a constant. New values are sealed with the one that seals.
CREATE TABLE secret_keys (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9-]{1,20}$'),
  check_value text NOT NULL CHECK (check_value ~ '^[0-9a-f]{64}$'),
  state text NOT NULL CHECK (state IN ('sealing', 'opening')),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX secret_keys_one_seals ON secret_keys (state) WHERE state = 'sealing';

-- One SSH key (without a host) and one HTTPS credential for each host (with its port, where it is not 443).
CREATE TABLE credentials (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('ssh', 'https')),
  host text NOT NULL,
  username text,
  public_key text,
  wrapped bytea NOT NULL,
  box bytea NOT NULL,
  key_id text NOT NULL REFERENCES secret_keys (id),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (user_id, kind, host),
  CHECK ((kind = 'ssh') = (host = '')),
  CHECK ((kind = 'ssh') = (public_key IS NOT NULL)),
  CHECK ((kind = 'https') = (username IS NOT NULL))
);
CREATE INDEX credentials_by_key ON credentials (key_id);

-- Of a user, or of one workspace. repositories: only workspaces with one of these get it; null: all do.
CREATE TABLE variables (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace_id uuid REFERENCES workspaces (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$'),
  is_secret boolean NOT NULL,
  repositories text[],
  bytes integer NOT NULL CHECK (bytes >= 0),
  wrapped bytea NOT NULL,
  box bytea NOT NULL,
  key_id text NOT NULL REFERENCES secret_keys (id),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (workspace_id IS NULL OR repositories IS NULL)
);
CREATE UNIQUE INDEX variables_of_user ON variables (user_id, name) WHERE workspace_id IS NULL;
CREATE UNIQUE INDEX variables_of_workspace ON variables (workspace_id, name) WHERE workspace_id IS NOT NULL;
CREATE INDEX variables_by_owner ON variables (user_id);
CREATE INDEX variables_by_key ON variables (key_id);

-- Nothing here is secret.
CREATE TABLE user_settings (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  git_name text,
  git_email text,
  dotfiles_address text,
  dotfiles_command text,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (dotfiles_command IS NULL OR dotfiles_address IS NOT NULL)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON secret_keys, credentials, variables, user_settings TO codehub_api;
-- The coordinator takes them along to a start. It writes none of them.
GRANT SELECT ON secret_keys, credentials, variables, user_settings TO codehub_coordinator;

-- People, and the secrets by which they are recognised. A secret is never stored, only its SHA-256: whoever reads a
-- backup cannot sign in with what is in it. Times have the precision of the program's clock, milliseconds, so that a
-- value read and written back is equal to itself.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  username text NOT NULL UNIQUE CHECK (username ~ '^[a-z0-9][a-z0-9._-]{1,39}$'),
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin', 'user')),
  must_change_password boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- kind 'dashboard': the cookie of the dashboard's origin. kind 'workspace': the cookie of one workspace's origin (or of
-- one forwarded port of it), a child of the dashboard session it was handed over from, so that a logout ends both.
CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  kind text NOT NULL CHECK (kind IN ('dashboard', 'workspace')),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  parent_id uuid REFERENCES sessions (id) ON DELETE CASCADE,
  workspace_id uuid,
  port integer CHECK (port BETWEEN 1 AND 65535),
  address text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CHECK ((kind = 'workspace') = (workspace_id IS NOT NULL)),
  CHECK ((kind = 'workspace') = (parent_id IS NOT NULL)),
  CHECK (port IS NULL OR kind = 'workspace')
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_of_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_tokens (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3)
);
CREATE INDEX api_tokens_of_user ON api_tokens (user_id);

-- A one-time code carries a dashboard session over to a workspace's origin. It lives for seconds, is deleted by its
-- first use, and is worthless without the state cookie of the browser that asked for it.
CREATE TABLE handover_codes (
  code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
  state_hash bytea NOT NULL CHECK (octet_length(state_hash) = 32),
  session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace_id uuid NOT NULL,
  port integer CHECK (port BETWEEN 1 AND 65535),
  host text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX handover_codes_by_expiry ON handover_codes (expires_at);

-- Failed sign-ins, counted per account and per address. In the database, so that a restart forgives nobody.
CREATE TABLE login_throttle (
  scope text NOT NULL CHECK (scope IN ('account', 'address')),
  subject text NOT NULL,
  failures integer NOT NULL CHECK (failures >= 0),
  first_failure_at timestamptz(3) NOT NULL,
  last_failure_at timestamptz(3) NOT NULL,
  blocked_until timestamptz(3),
  PRIMARY KEY (scope, subject)
);
CREATE INDEX login_throttle_by_age ON login_throttle (last_failure_at);

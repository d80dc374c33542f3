-- A database as CodeHub 0.1.0 left it. Made by ../main.ts, never edited by hand.
DO $$ BEGIN CREATE ROLE codehub_api NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE codehub_coordinator NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
CREATE TABLE schema_migrations (
  number integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

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

-- The row of a workspace: the wish in the first half, the last verdict about reality in the second. Each column has one
-- writer; 0006-grants.sql makes PostgreSQL refuse everybody else.

CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),

  -- Written by the API service layer.
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  description text,
  memo text,
  image_ref text NOT NULL,
  desired_state text NOT NULL CHECK (desired_state IN ('PENDING', 'ARCHIVED', 'STANDBY', 'RUNNING', 'DELETED')),
  desired_version bigint NOT NULL DEFAULT 1 CHECK (desired_version > 0),
  deleted_at timestamptz(3),
  purge boolean NOT NULL DEFAULT false,
  -- A one-off wish that is not a level: {"version", "action": {"kind", …}}, done when request_done reaches its version.
  request jsonb
    CHECK (request IS NULL OR (jsonb_typeof(request -> 'version') = 'number' AND request -> 'action' ? 'kind')),
  standby_ttl_seconds integer CHECK (standby_ttl_seconds = 0 OR standby_ttl_seconds >= 60),
  archive_ttl_seconds integer CHECK (archive_ttl_seconds = 0 OR archive_ttl_seconds >= 60),
  keep_awake_until timestamptz(3),
  last_access_at timestamptz(3) NOT NULL DEFAULT now(),

  -- Written by the coordinator.
  conditions jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(conditions) = 'object'),
  phase text NOT NULL DEFAULT 'PENDING'
    CHECK (phase IN ('PENDING', 'ARCHIVED', 'STANDBY', 'RUNNING', 'ERROR', 'DELETING', 'DELETED')),
  phase_changed_at timestamptz(3) NOT NULL DEFAULT now(),
  observed_at timestamptz(3),
  operation text NOT NULL DEFAULT 'NONE'
    CHECK (operation IN ('NONE', 'PROVISIONING', 'CREATE_EMPTY_ARCHIVE', 'RESTORING', 'STARTING', 'STOPPING',
                         'ARCHIVING', 'DISCARDING', 'DELETING')),
  op_started_at timestamptz(3),
  op_id uuid,
  op_epoch bigint,
  request_done bigint NOT NULL DEFAULT 0,
  expired_at timestamptz(3),
  home_volume text,
  archive_key text,
  archive_op_id uuid,
  endpoint jsonb CHECK (jsonb_typeof(endpoint) = 'object'),
  home_ctx jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(home_ctx) = 'object'),
  error_reason text
    CHECK (error_reason IN ('Timeout', 'RetryExceeded', 'ActionFailed', 'DataLost', 'Unreachable', 'ImagePullFailed',
                            'ContainerWithoutVolume', 'ArchiveCorrupted', 'ArchiveAccessError', 'DiskFull')),
  error_count integer NOT NULL DEFAULT 0 CHECK (error_count >= 0),
  error_info jsonb CHECK (jsonb_typeof(error_info) = 'object'),
  reconcile_failure_count integer NOT NULL DEFAULT 0 CHECK (reconcile_failure_count >= 0),
  next_attempt_at timestamptz(3),

  -- Written by the trigger.
  row_version bigint NOT NULL DEFAULT 1,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),

  -- Derived by PostgreSQL. `settled` says the same as isSettled in core/plan.ts and `holds_slot` the same as holdsSlot
  -- in core/limits.ts; a test compares each pair over generated rows.
  settled boolean NOT NULL GENERATED ALWAYS AS (
    operation = 'NONE'
    AND coalesce((request ->> 'version')::bigint, 0) <= request_done
    AND CASE
      WHEN deleted_at IS NOT NULL
        THEN phase = 'DELETED' AND NOT ((purge OR expired_at IS NOT NULL) AND archive_key IS NOT NULL)
      ELSE phase = 'ERROR' OR phase = desired_state
    END
  ) STORED,
  holds_slot boolean NOT NULL GENERATED ALWAYS AS (
    coalesce((conditions -> 'infra.container_present' ->> 'status')::boolean, false)
    OR operation = 'STARTING'
    OR (desired_state = 'RUNNING' AND deleted_at IS NULL)
  ) STORED,

  CHECK ((desired_state = 'DELETED') = (deleted_at IS NOT NULL)),
  CHECK (deleted_at IS NOT NULL OR NOT purge),
  CHECK (deleted_at IS NOT NULL OR expired_at IS NULL),
  CHECK (operation = 'NONE' OR (op_id IS NOT NULL AND op_epoch IS NOT NULL AND op_started_at IS NOT NULL))
);

-- A volume and an archive belong to one home: no two rows ever lead to the same one.
CREATE UNIQUE INDEX workspaces_home_volume ON workspaces (home_volume) WHERE home_volume IS NOT NULL;
CREATE UNIQUE INDEX workspaces_archive_key ON workspaces (archive_key) WHERE archive_key IS NOT NULL;

-- Every index below is partial or narrow: what rests costs the loops nothing, however many rest.
CREATE INDEX workspaces_unsettled ON workspaces (id) WHERE NOT settled;
CREATE INDEX workspaces_idle ON workspaces (phase, phase_changed_at)
  WHERE deleted_at IS NULL AND operation = 'NONE' AND phase = desired_state AND phase IN ('RUNNING', 'STANDBY');
CREATE INDEX workspaces_expiring ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL AND expired_at IS NULL;
CREATE INDEX workspaces_slots ON workspaces (owner_id) WHERE holds_slot;
CREATE INDEX workspaces_of_owner ON workspaces (owner_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX workspaces_trash_of_owner ON workspaces (owner_id, created_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX workspaces_by_age ON workspaces (created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX workspaces_by_phase ON workspaces (phase);
CREATE INDEX workspaces_with_endpoint ON workspaces (id) WHERE endpoint IS NOT NULL;
-- When the archive that holds the home was last looked at. Written as ISO 8601 in UTC, which sorts by time.
CREATE INDEX workspaces_archive_check
  ON workspaces (coalesce(conditions -> 'storage.archive_ready' ->> 'checked_at', '') COLLATE "C")
  WHERE archive_key IS NOT NULL AND home_volume IS NULL AND deleted_at IS NULL;

-- What the coordinator has made outside the database, and what it has promised about each piece.

CREATE TABLE archives (
  key text PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  op_id uuid NOT NULL UNIQUE,
  -- current: the row leads to it. version: an older verified copy that is kept. trash: kept until keep_until, so that a
  -- reset or a deletion can be undone. orphan: promised to nobody, GC takes it.
  state text NOT NULL CHECK (state IN ('current', 'version', 'trash', 'orphan')),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  content_bytes bigint NOT NULL CHECK (content_bytes >= 0),
  entry_count bigint NOT NULL CHECK (entry_count >= 0),
  manifest_digest text NOT NULL,
  skipped_sockets bigint NOT NULL DEFAULT 0 CHECK (skipped_sockets >= 0),
  format_version integer NOT NULL CHECK (format_version > 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  verified_at timestamptz(3) NOT NULL,
  keep_until timestamptz(3)
);
CREATE INDEX archives_of_workspace ON archives (workspace_id, created_at DESC);
CREATE UNIQUE INDEX archives_current ON archives (workspace_id) WHERE state = 'current';
CREATE INDEX archives_in_trash ON archives (keep_until) WHERE state = 'trash';

CREATE TABLE volumes (
  name text PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  attempt uuid NOT NULL UNIQUE,
  -- building: an attempt is filling it. current: the row leads to it. retired: the reaper takes it after its grace.
  -- gone: removed, and the name is never used again.
  state text NOT NULL CHECK (state IN ('building', 'current', 'retired', 'gone')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  CHECK (state <> 'retired' OR retired_at IS NOT NULL)
);
CREATE INDEX volumes_of_workspace ON volumes (workspace_id);
CREATE UNIQUE INDEX volumes_current ON volumes (workspace_id) WHERE state = 'current';
CREATE INDEX volumes_retired ON volumes (retired_at) WHERE state = 'retired';

-- An object of the store that nothing protected when it was last listed. It goes only if that is still so hours later.
CREATE TABLE gc_marks (
  key text PRIMARY KEY,
  marked_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX gc_marks_by_age ON gc_marks (marked_at);

-- How far the storage job of the running operation has come. One row a workspace, overwritten at most once a second.
CREATE TABLE progress (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  op_id uuid NOT NULL,
  stage text NOT NULL,
  done_bytes bigint NOT NULL,
  total_bytes bigint,
  done_files bigint NOT NULL,
  bytes_per_second double precision,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A port of the host on which a container is published. Released only when the container is positively gone: until then
-- the proxy could otherwise reach a stranger's container under it.
CREATE TABLE host_ports (
  port integer PRIMARY KEY CHECK (port BETWEEN 1 AND 65535),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  attempt uuid NOT NULL,
  reserved_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX host_ports_of_workspace ON host_ports (workspace_id);

-- Facts about the deployment as a whole, and the history of everything.

-- The number that fences: every transaction of a coordinator first locks this row at the epoch it was given, so one that
-- was replaced without noticing cannot commit anything any more.
CREATE TABLE leader (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  epoch bigint NOT NULL,
  holder text,
  acquired_at timestamptz(3)
);
INSERT INTO leader (epoch) VALUES (0);

-- Recorded at the first start. When another engine or store answers later, nothing is planned.
CREATE TABLE deployment (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  deployment_id uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  runtime_kind text CHECK (runtime_kind IN ('process', 'docker', 'kubernetes', 'simulated')),
  engine_id text,
  store_id text,
  -- Counted here and in the store. A store that is ahead means that this database is an older copy of itself.
  gc_generation bigint NOT NULL DEFAULT 0,
  gc_last_run_at timestamptz(3),
  gc_quarantined_at timestamptz(3),
  gc_quarantine_reason text
);
INSERT INTO deployment DEFAULT VALUES;

-- What the leader sees of the parts it depends on, for /readyz and the system page of every process.
CREATE TABLE component_health (
  name text PRIMARY KEY,
  status text NOT NULL CHECK (status IN ('ok', 'degraded', 'down', 'unknown')),
  detail text NOT NULL DEFAULT '',
  since timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE fleet_samples (
  at timestamptz(3) PRIMARY KEY,
  counts jsonb NOT NULL CHECK (jsonb_typeof(counts) = 'object')
);

-- Who did what, from what to what, and why: the history of a workspace and the audit log. Only ever added to.
CREATE TABLE workspace_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL CHECK (kind ~ '^[a-z][a-z0-9_]{1,59}$'),
  workspace_id uuid,
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'admin', 'coordinator', 'ttl', 'proxy', 'system')),
  actor_id uuid,
  summary text NOT NULL,
  from_phase text CHECK (from_phase IN ('PENDING', 'ARCHIVED', 'STANDBY', 'RUNNING', 'ERROR', 'DELETING', 'DELETED')),
  to_phase text CHECK (to_phase IN ('PENDING', 'ARCHIVED', 'STANDBY', 'RUNNING', 'ERROR', 'DELETING', 'DELETED')),
  operation text
    CHECK (operation IN ('PROVISIONING', 'CREATE_EMPTY_ARCHIVE', 'RESTORING', 'STARTING', 'STOPPING', 'ARCHIVING',
                         'DISCARDING', 'DELETING')),
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);
CREATE INDEX workspace_events_of_workspace ON workspace_events (workspace_id, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX workspace_events_of_actor ON workspace_events (actor_id, id DESC) WHERE actor_id IS NOT NULL;
CREATE INDEX workspace_events_of_kind ON workspace_events (kind, id DESC);
CREATE INDEX workspace_events_of_operations ON workspace_events (at) WHERE operation IS NOT NULL;

-- The row counts its own changes, and tells who may be interested that there is something new to read. A notification
-- carries ids and the version only: one of 8000 bytes would abort the very UPDATE that caused it.

CREATE FUNCTION workspaces_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.row_version := OLD.row_version + 1;
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END
$$;

CREATE TRIGGER workspaces_count_change BEFORE UPDATE ON workspaces
  FOR EACH ROW EXECUTE FUNCTION workspaces_count_change();

CREATE FUNCTION workspaces_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0],
    json_build_object('id', NEW.id, 'user_id', NEW.owner_id, 'version', NEW.row_version)::text);
  RETURN NULL;
END
$$;

CREATE TRIGGER workspaces_created_sse AFTER INSERT ON workspaces
  FOR EACH ROW EXECUTE FUNCTION workspaces_notify('ws_sse');
CREATE TRIGGER workspaces_created_wake AFTER INSERT ON workspaces
  FOR EACH ROW EXECUTE FUNCTION workspaces_notify('ws_wake');

-- Everything a person can see. When somebody last looked is no news: every row is looked at again and again.
CREATE TRIGGER workspaces_changed_sse AFTER UPDATE ON workspaces
  FOR EACH ROW WHEN (
    (OLD.name, OLD.description, OLD.memo, OLD.image_ref, OLD.desired_state, OLD.desired_version, OLD.deleted_at,
     OLD.purge, OLD.request, OLD.standby_ttl_seconds, OLD.archive_ttl_seconds, OLD.keep_awake_until,
     OLD.last_access_at, OLD.conditions #- '{storage.archive_ready,checked_at}', OLD.phase, OLD.operation, OLD.op_id, OLD.request_done, OLD.expired_at,
     OLD.home_volume, OLD.archive_key, OLD.endpoint, OLD.home_ctx, OLD.error_reason, OLD.error_count, OLD.error_info,
     OLD.next_attempt_at)
    IS DISTINCT FROM
    (NEW.name, NEW.description, NEW.memo, NEW.image_ref, NEW.desired_state, NEW.desired_version, NEW.deleted_at,
     NEW.purge, NEW.request, NEW.standby_ttl_seconds, NEW.archive_ttl_seconds, NEW.keep_awake_until,
     NEW.last_access_at, NEW.conditions #- '{storage.archive_ready,checked_at}', NEW.phase, NEW.operation, NEW.op_id, NEW.request_done, NEW.expired_at,
     NEW.home_volume, NEW.archive_key, NEW.endpoint, NEW.home_ctx, NEW.error_reason, NEW.error_count, NEW.error_info,
     NEW.next_attempt_at)
  ) EXECUTE FUNCTION workspaces_notify('ws_sse');

-- Only columns that the coordinator cannot write are looked at, so it never wakes itself.
CREATE TRIGGER workspaces_wished_wake AFTER UPDATE ON workspaces
  FOR EACH ROW WHEN (
    (OLD.desired_state, OLD.desired_version, OLD.request, OLD.deleted_at, OLD.purge)
    IS DISTINCT FROM
    (NEW.desired_state, NEW.desired_version, NEW.request, NEW.deleted_at, NEW.purge)
  ) EXECUTE FUNCTION workspaces_notify('ws_wake');

CREATE TRIGGER workspaces_deleted AFTER UPDATE ON workspaces
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION workspaces_notify('ws_deleted');

-- How far a storage job has come; carries the workspace's version, so that a client can put it in order.
CREATE FUNCTION progress_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ws_progress',
    json_build_object('id', w.id, 'user_id', w.owner_id, 'version', w.row_version)::text)
  FROM workspaces w WHERE w.id = NEW.workspace_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER progress_changed AFTER INSERT OR UPDATE ON progress
  FOR EACH ROW EXECUTE FUNCTION progress_notify();

-- Who writes what. The roles are made before the migrations run (roles.ts): they belong to the server, not to a database.

GRANT USAGE ON SCHEMA public TO codehub_api, codehub_coordinator;

-- The API service layer: accounts, wishes, and reading.
GRANT SELECT, INSERT, UPDATE, DELETE
  ON users, sessions, api_tokens, handover_codes, login_throttle TO codehub_api;
GRANT SELECT
  ON workspaces, archives, volumes, gc_marks, progress, host_ports, leader, deployment, component_health,
     fleet_samples, workspace_events, schema_migrations TO codehub_api;
GRANT INSERT (id, owner_id, name, description, memo, image_ref, desired_state, desired_version, standby_ttl_seconds,
              archive_ttl_seconds, keep_awake_until, last_access_at) ON workspaces TO codehub_api;
GRANT UPDATE (name, description, memo, image_ref, desired_state, desired_version, deleted_at, purge, request,
              standby_ttl_seconds, archive_ttl_seconds, keep_awake_until, last_access_at) ON workspaces TO codehub_api;
GRANT INSERT ON workspace_events TO codehub_api;

-- The coordinator: verdicts and what it has made. It cannot read a single secret.
GRANT SELECT ON workspaces, workspace_events, schema_migrations TO codehub_coordinator;
GRANT UPDATE (conditions, phase, phase_changed_at, observed_at, operation, op_started_at, op_id, op_epoch, request_done,
              expired_at, home_volume, archive_key, archive_op_id, endpoint, home_ctx, error_reason, error_count,
              error_info, reconcile_failure_count, next_attempt_at) ON workspaces TO codehub_coordinator;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON archives, volumes, gc_marks, progress, host_ports, component_health, fleet_samples TO codehub_coordinator;
GRANT SELECT, UPDATE ON leader TO codehub_coordinator;
GRANT SELECT ON deployment TO codehub_coordinator;
GRANT UPDATE (runtime_kind, engine_id, store_id, gc_generation, gc_last_run_at, gc_quarantined_at,
              gc_quarantine_reason) ON deployment TO codehub_coordinator;
GRANT INSERT ON workspace_events TO codehub_coordinator;

DELETE FROM leader;
DELETE FROM deployment;
INSERT INTO users (id, username, password_hash, role, must_change_password, disabled_at, last_login_at, created_at) OVERRIDING SYSTEM VALUE VALUES
  ('22222fd6-2137-4927-a10a-60e258c090f3', 'anna', '$argon2id$v=19$m=19456,t=2,p=1$hNzxrTJu1wRYljvN8mcwbQ$g1w2LHC0nUpxQIVzAwWn6MhULunOIxzlx5b07lCSj/0', 'user', 'false', NULL, '2026-11-16 21:53:51.186+00', '2026-11-16 21:53:50.537+00'),
  ('694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'mina', '$argon2id$v=19$m=19456,t=2,p=1$2K4BHIhLda7k/uP91qRWug$vDErj6Br9gjtRHEE2YoB49WqeKAU4y4HPUx3qlmCzKc', 'admin', 'false', NULL, '2026-11-16 21:53:49.924+00', '2026-11-16 21:53:47.891+00'),
  ('803fe2b6-5e50-4e58-909f-b7062bed014d', 'ben', '$argon2id$v=19$m=19456,t=2,p=1$JlWWbVXDqW8CSjeMNgZOFw$4wMx+dGLVev+wcGR3sAvpk/3gmLwD5VCPLFr3I+LNw0', 'user', 'false', NULL, '2026-11-16 21:53:51.632+00', '2026-11-16 21:53:51.319+00'),
  ('f87c2cd9-feee-44b3-9045-598d06841467', 'carl', '$argon2id$v=19$m=19456,t=2,p=1$jh7EItP26PHPAeQzFgLuUw$+VokFdO/hn1u16QhGvEq3t2IEAM9rJ6NtO74vBMTS78', 'user', 'false', '2026-11-16 21:53:52.107+00', '2026-11-16 21:53:52.069+00', '2026-11-16 21:53:51.85+00');
INSERT INTO sessions (token_hash, id, kind, user_id, parent_id, workspace_id, port, address, user_agent, created_at, expires_at) OVERRIDING SYSTEM VALUE VALUES
  (E'\\x6237618646529515d3e86c0a1d6c46cdb2090b72b214d63a1415068d708f1359', 'd23286f8-676c-4ba3-a1fa-1769b2f9da6c', 'dashboard', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', NULL, NULL, NULL, '127.0.0.1', 'node', '2026-11-16 21:53:49.923+00', '2026-11-30 21:53:49.925+00'),
  (E'\\xec27ad2236cc5263200c4301b298de4d8696866003798ca768e11ca6b3efa7e2', '97e7e952-8395-4aa1-8808-862210a8be91', 'dashboard', '22222fd6-2137-4927-a10a-60e258c090f3', NULL, NULL, NULL, '127.0.0.1', 'node', '2026-11-16 21:53:51.185+00', '2026-11-30 21:53:51.187+00'),
  (E'\\x2fb3e23b4109e152cb91ef18ff33c973bac45f9c3df98bf2306981e8dbc7cd3e', '84ea8028-3afd-49f9-85e5-71d67b872ff7', 'dashboard', '803fe2b6-5e50-4e58-909f-b7062bed014d', NULL, NULL, NULL, '127.0.0.1', 'node', '2026-11-16 21:53:51.632+00', '2026-11-30 21:53:51.64+00'),
  (E'\\x7f994b273cbeb0152640cc0ef3da7229e79ab09c560a47f94ba438a0f95b4480', '0202a250-c818-419d-a425-3a2fb720726f', 'workspace', '22222fd6-2137-4927-a10a-60e258c090f3', '97e7e952-8395-4aa1-8808-862210a8be91', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', '3000', NULL, NULL, '2026-11-16 21:56:10.142+00', '2026-11-30 21:53:51.187+00');
INSERT INTO api_tokens (id, user_id, name, token_hash, created_at, last_used_at, expires_at) OVERRIDING SYSTEM VALUE VALUES
  ('75c2b53a-b460-49da-96da-4bb0afc627c7', '803fe2b6-5e50-4e58-909f-b7062bed014d', 'laptop', E'\\x58a5a7285ab4c2a8de6726e94a409caba6e017891c6f86f19f10d582ed20edc2', '2026-11-16 21:53:51.668+00', '2026-11-16 21:54:04.776+00', NULL),
  ('a4dea9b6-ec8d-4b5e-b349-f59bf4d73a0e', 'f87c2cd9-feee-44b3-9045-598d06841467', 'laptop', E'\\xed600402fa86bbd311241e99d6eed94f18e017b14a7b6eb84bbc1a1727167b33', '2026-11-16 21:53:52.085+00', '2026-11-16 21:53:52.095+00', NULL),
  ('cc2da9c0-8ed0-4c95-880b-a1f2e72d75c6', '22222fd6-2137-4927-a10a-60e258c090f3', 'laptop', E'\\x378692a89c2c3189775cdeb3d060e9333b3cdf49f667ba06489e65bb7473966e', '2026-11-16 21:53:51.202+00', '2026-11-16 21:55:34.934+00', NULL),
  ('e67f065a-bf7f-4579-8e6b-667fa765218e', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'laptop', E'\\x2c87a0b48531a2da388b0e15ebccfe7c0530b138e88bba0c74e9292b65c1da33', '2026-11-16 21:53:50.043+00', '2026-11-16 21:53:50.118+00', NULL);
INSERT INTO login_throttle (scope, subject, failures, first_failure_at, last_failure_at, blocked_until) OVERRIDING SYSTEM VALUE VALUES
  ('account', '69aef9200aaeb73e0dc831fa48b0a116', '1', '2026-11-16 21:53:50.69+00', '2026-11-16 21:53:52.145+00', NULL),
  ('account', '69aef9200aaeb73e0dc831fa48b0a116@127.0.0.1', '1', '2026-11-16 21:53:52.145+00', '2026-11-16 21:53:52.145+00', NULL),
  ('account', '7a83a21a2458028709264dfa0e345bb0', '0', '2026-11-16 21:53:51.394+00', '2026-11-16 21:53:51.394+00', NULL),
  ('account', '89cc9b92fcec983baafd5ffbb6cdffe3', '0', '2026-11-16 21:53:51.881+00', '2026-11-16 21:53:51.881+00', NULL),
  ('account', 'ef873f37a777d9bf65056fdd44f75fd8', '0', '2026-11-16 21:53:49.677+00', '2026-11-16 21:53:49.677+00', NULL),
  ('address', '127.0.0.1', '1', '2026-11-16 21:53:49.677+00', '2026-11-16 21:53:52.145+00', NULL);
INSERT INTO workspaces (id, owner_id, created_at, name, description, memo, image_ref, desired_state, desired_version, deleted_at, purge, request, standby_ttl_seconds, archive_ttl_seconds, keep_awake_until, last_access_at, conditions, phase, phase_changed_at, observed_at, operation, op_started_at, op_id, op_epoch, request_done, expired_at, home_volume, archive_key, archive_op_id, endpoint, home_ctx, error_reason, error_count, error_info, reconcile_failure_count, next_attempt_at, row_version, updated_at) OVERRIDING SYSTEM VALUE VALUES
  ('0614119e-fd02-4462-a279-86383bb50e4f', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:47.477+00', 'restoring', 'from 0.1.0', '# restoring', 'codehub/workspace:latest', 'RUNNING', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:57.588+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:47.532Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:55:52.791Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:50.265Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:55:52.791Z", "last_transition_time": "2026-11-16T21:55:52.791Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:50.265Z"}}', 'ARCHIVED', '2026-11-16 21:55:52.791+00', '2026-11-16 21:55:52.796+00', 'RESTORING', '2026-11-16 21:55:57.655+00', '6bc4daf2-30ce-4620-898c-3f3d964e19ea', '1', '0', NULL, NULL, '0614119e-fd02-4462-a279-86383bb50e4f/17454349-6ce6-43a5-824e-f04683a7a25a/home.tar.zst', '17454349-6ce6-43a5-824e-f04683a7a25a', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '14', '2026-11-16 21:55:57.657+00'),
  ('0caa5da2-c5ca-4095-aae6-57c5ee1594ab', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:24.953+00', 'running', 'from 0.1.0', '# running', 'codehub/workspace:latest', 'RUNNING', '1', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:24.953+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:24.975Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-0caa5da2-c5ca-4095-aae6-57c5ee1594ab-home-4158804b is there.", "last_transition_time": "2026-11-16T21:54:24.988Z"}, "infra.container_ready": {"reason": "ContainerRunning", "status": true, "message": "The container answered and runs.", "last_transition_time": "2026-11-16T21:54:25.850Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:54:24.975Z"}, "infra.container_present": {"reason": "ContainerFound", "status": true, "message": "1 container(s) belong to this workspace.", "last_transition_time": "2026-11-16T21:54:25.850Z"}}', 'RUNNING', '2026-11-16 21:54:25.85+00', '2026-11-16 21:54:25.908+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-0caa5da2-c5ca-4095-aae6-57c5ee1594ab-home-4158804b', NULL, NULL, '{"address": {"kind": "unix", "path": "/tmp/codehub-0.1.0/s/694b8fab15da/ide.sock"}, "attempt": "a5b33805-8cba-4e1a-bf1f-27b7708a6fd4", "container_id": "0caa5da2-c5ca-4095-aae6-57c5ee1594ab.694b8fab15da"}', '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '6', '2026-11-16 21:54:25.909+00'),
  ('2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:55.423+00', 'starting', 'from 0.1.0', '# starting', 'codehub/workspace:latest', 'RUNNING', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:57.671+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:55.460Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39-home-e1c4db86 is there.", "last_transition_time": "2026-11-16T21:55:55.494Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:57.325Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:55:55.460Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:57.325Z"}}', 'STANDBY', '2026-11-16 21:55:57.325+00', '2026-11-16 21:55:57.445+00', 'STARTING', '2026-11-16 21:55:57.715+00', '8d302fb8-28e2-4a14-9615-26f019028e5f', '1', '0', NULL, 'ws-2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39-home-e1c4db86', NULL, NULL, NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '12', '2026-11-16 21:55:57.722+00'),
  ('34e3282f-f779-4931-9276-3092c927caf4', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:53:55.017+00', 'archived', 'from 0.1.0', '# archived', 'codehub/workspace:latest', 'ARCHIVED', '2', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:53:55.017+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:53:55.077Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:53:59.981Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:53:57.242Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:53:59.981Z", "last_transition_time": "2026-11-16T21:53:59.981Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:53:57.242Z"}}', 'ARCHIVED', '2026-11-16 21:53:59.981+00', '2026-11-16 21:53:59.996+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, '34e3282f-f779-4931-9276-3092c927caf4/2121b2dd-e53f-4388-a901-14b90624d9bc/home.tar.zst', '2121b2dd-e53f-4388-a901-14b90624d9bc', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '12', '2026-11-16 21:53:59.997+00'),
  ('41e9e1b0-6810-445a-bf3e-f934622f1ec4', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:27.86+00', 'error DataLost', 'from 0.1.0', '# error DataLost', 'codehub/workspace:latest', 'RUNNING', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:29.789+00', '{"policy.healthy": {"reason": "DataLost", "status": false, "message": "Volume ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8 holds the home and was not found twice. Nothing is created in its place: bring the volume back, or recover from an archive.", "last_transition_time": "2026-11-16T21:54:39.876Z"}, "storage.volume_ready": {"reason": "VolumeMissing", "status": false, "message": "Volume ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8 was not found.", "missing_since": "2026-11-16T21:54:29.771Z", "last_transition_time": "2026-11-16T21:54:39.876Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:29.700Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:54:27.869Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:29.700Z"}}', 'ERROR', '2026-11-16 21:54:39.876+00', '2026-11-16 21:54:39.876+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8', NULL, NULL, NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', 'DataLost', '1', '{"reason": "DataLost", "message": "Volume ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8 holds the home and was not found twice. Nothing is created in its place: bring the volume back, or recover from an archive.", "attempts": 0, "operation": "NONE", "is_terminal": true, "occurred_at": "2026-11-16T21:54:39.876Z", "previous_phase": "STANDBY"}', '0', NULL, '12', '2026-11-16 21:54:39.887+00'),
  ('57893c6d-601d-46ed-a8a4-628a368eb22d', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:29.815+00', 'error ArchiveCorrupted', 'from 0.1.0', '# error ArchiveCorrupted', 'codehub/workspace:latest', 'STANDBY', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:29.815+00', '{"policy.healthy": {"reason": "ArchiveCorrupted", "status": false, "message": "the archive is damaged: its checksum is c4f94b3cde565cbf86844ca34395603a9383b53a5b0ceaf60d6283f27a3ed8be, dfa2ca492ce29a6b0d2d759ad9ab7337ae92b2237386f47c82c527a7b117b4f1 was recorded", "last_transition_time": "2026-11-16T21:54:35.457Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:33.806Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:31.734Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:54:33.806Z", "last_transition_time": "2026-11-16T21:54:33.806Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:31.734Z"}}', 'ERROR', '2026-11-16 21:54:35.457+00', '2026-11-16 21:54:33.817+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, '57893c6d-601d-46ed-a8a4-628a368eb22d/a2be564f-7a7f-49b5-baca-47db18074d6e/home.tar.zst', 'a2be564f-7a7f-49b5-baca-47db18074d6e', NULL, '{"exits": [], "failed_wish": 3, "started_image": "codehub/workspace:latest", "restore_marker": null}', 'ArchiveCorrupted', '1', '{"reason": "ArchiveCorrupted", "message": "the archive is damaged: its checksum is c4f94b3cde565cbf86844ca34395603a9383b53a5b0ceaf60d6283f27a3ed8be, dfa2ca492ce29a6b0d2d759ad9ab7337ae92b2237386f47c82c527a7b117b4f1 was recorded", "attempts": 1, "operation": "RESTORING", "is_terminal": true, "occurred_at": "2026-11-16T21:54:35.457Z", "previous_phase": "ARCHIVED"}', '1', NULL, '15', '2026-11-16 21:54:35.458+00'),
  ('5d64a868-69e9-4afc-93f0-2665bc38f1a4', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:08.32+00', 'error ArchiveAccessError', 'from 0.1.0', '# error ArchiveAccessError', 'codehub/workspace:latest', 'STANDBY', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:08.32+00', '{"policy.healthy": {"reason": "ArchiveAccessError", "status": false, "message": "The archive 5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst is not in the store.", "last_transition_time": "2026-11-16T21:55:35.024Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:11.899Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:09.901Z"}, "storage.archive_ready": {"reason": "ArchiveNotFound", "status": false, "message": "The archive 5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst is not in the store.", "checked_at": "2026-11-16T21:55:35.024Z", "last_transition_time": "2026-11-16T21:55:35.024Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:09.901Z"}}', 'ERROR', '2026-11-16 21:55:35.024+00', '2026-11-16 21:55:35.024+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, '5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst', 'f8a8139e-d63c-4b40-abda-99e8ad3c39ca', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', 'ArchiveAccessError', '1', '{"reason": "ArchiveAccessError", "message": "The archive 5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst is not in the store.", "attempts": 0, "operation": "NONE", "is_terminal": true, "occurred_at": "2026-11-16T21:55:35.024Z", "previous_phase": "ARCHIVED"}', '0', NULL, '14', '2026-11-16 21:55:35.026+00'),
  ('5f5db1a0-3679-4d87-9a5c-7faf7b95b169', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:00.016+00', 'archived by Docker', 'from 0.1.0', '# archived by Docker', 'codehub/workspace:latest', 'ARCHIVED', '2', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:00.016+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:00.028Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:04.677Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:01.626Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:54:04.677Z", "last_transition_time": "2026-11-16T21:54:04.677Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:01.626Z"}}', 'ARCHIVED', '2026-11-16 21:54:04.677+00', '2026-11-16 21:54:04.692+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, '5f5db1a0-3679-4d87-9a5c-7faf7b95b169/5845a733-1a6e-43e9-9c8b-ab3081729bae/home.tar.zst', '5845a733-1a6e-43e9-9c8b-ab3081729bae', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '13', '2026-11-16 21:56:08.962+00'),
  ('8647c88d-a87e-468a-ae62-b00aff238a38', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:52.897+00', 'deleting', 'from 0.1.0', '# deleting', 'codehub/workspace:latest', 'DELETED', '3', '2026-11-16 21:55:57.831+00', 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:52.897+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:52.911Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-8647c88d-a87e-468a-ae62-b00aff238a38-home-be14102d is there.", "last_transition_time": "2026-11-16T21:55:52.977Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:55.272Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:55:52.911Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:55.272Z"}}', 'DELETING', '2026-11-16 21:55:57.965+00', '2026-11-16 21:55:57.965+00', 'ARCHIVING', '2026-11-16 21:55:57.965+00', '4c44503e-7041-41f6-8828-619c6a554c62', '1', '0', NULL, 'ws-8647c88d-a87e-468a-ae62-b00aff238a38-home-be14102d', NULL, '4c44503e-7041-41f6-8828-619c6a554c62', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '12', '2026-11-16 21:55:57.968+00'),
  ('8744d152-8e37-4464-b4f4-e36c8d61b1ee', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:53:52.319+00', 'standby', 'from 0.1.0', '# standby', 'codehub/workspace:latest', 'STANDBY', '2', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:53:52.319+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:53:52.363Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-8744d152-8e37-4464-b4f4-e36c8d61b1ee-home-7fe88feb is there.", "last_transition_time": "2026-11-16T21:53:52.676Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:53:54.906Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:53:52.363Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:53:54.906Z"}}', 'STANDBY', '2026-11-16 21:53:54.906+00', '2026-11-16 21:53:54.937+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-8744d152-8e37-4464-b4f4-e36c8d61b1ee-home-7fe88feb', NULL, NULL, NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '10', '2026-11-16 21:53:54.938+00'),
  ('982905f6-f765-4ed6-a775-8857ef31c08d', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:14.004+00', 'standby again', 'from 0.1.0', '# standby again', 'codehub/workspace:latest', 'STANDBY', '5', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:14.004+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:14.106Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-982905f6-f765-4ed6-a775-8857ef31c08d-home-2fec74a4 is there.", "checked_at": "2026-11-16T21:54:22.287Z", "last_transition_time": "2026-11-16T21:54:22.287Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:15.963Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:54:20.476Z", "last_transition_time": "2026-11-16T21:54:18.022Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:15.963Z"}}', 'STANDBY', '2026-11-16 21:54:22.287+00', '2026-11-16 21:54:22.287+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-982905f6-f765-4ed6-a775-8857ef31c08d-home-2fec74a4', '982905f6-f765-4ed6-a775-8857ef31c08d/6c2c1354-dd14-4163-9995-70bc59f66d45/home.tar.zst', '6c2c1354-dd14-4163-9995-70bc59f66d45', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": "982905f6-f765-4ed6-a775-8857ef31c08d/6c2c1354-dd14-4163-9995-70bc59f66d45/home.tar.zst"}', NULL, '0', NULL, '0', NULL, '22', '2026-11-16 21:54:22.29+00'),
  ('b50f1ca7-3dea-4ab1-a00b-f42127817b08', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:26.127+00', 'ran before the power cut', 'from 0.1.0', '# ran before the power cut', 'codehub/workspace:latest', 'RUNNING', '1', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:26.127+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:26.187Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-b50f1ca7-3dea-4ab1-a00b-f42127817b08-home-7e60be9f is there.", "last_transition_time": "2026-11-16T21:54:26.312Z"}, "infra.container_ready": {"reason": "ContainerRunning", "status": true, "message": "The container answered and runs.", "last_transition_time": "2026-11-16T21:54:27.487Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:54:26.187Z"}, "infra.container_present": {"reason": "ContainerFound", "status": true, "message": "1 container(s) belong to this workspace.", "last_transition_time": "2026-11-16T21:54:27.487Z"}}', 'RUNNING', '2026-11-16 21:54:27.487+00', '2026-11-16 21:54:27.56+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-b50f1ca7-3dea-4ab1-a00b-f42127817b08-home-7e60be9f', NULL, NULL, '{"address": {"kind": "unix", "path": "/tmp/codehub-0.1.0/s/7148b43adf31/ide.sock"}, "attempt": "2a1dd6f8-2b5d-4c81-bc7b-25ea5dc1f471", "container_id": "b50f1ca7-3dea-4ab1-a00b-f42127817b08.7148b43adf31"}', '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '6', '2026-11-16 21:54:27.562+00'),
  ('bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:39.063+00', 'in the trash', 'from 0.1.0', '# in the trash', 'codehub/workspace:latest', 'DELETED', '3', '2026-11-16 21:55:42.09+00', 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:39.063+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:39.501Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:55:43.939Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:41.979Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:55:43.939Z", "last_transition_time": "2026-11-16T21:55:43.939Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:41.979Z"}}', 'DELETED', '2026-11-16 21:55:43.939+00', '2026-11-16 21:55:43.951+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8/5bfaf788-7042-4b4b-a3f8-9f965f4df49b/home.tar.zst', '5bfaf788-7042-4b4b-a3f8-9f965f4df49b', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '14', '2026-11-16 21:55:43.952+00'),
  ('c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:34.988+00', 'error RetryExceeded', 'from 0.1.0', '# error RetryExceeded', 'codehub/workspace:latest', 'RUNNING', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:37.046+00', '{"policy.healthy": {"reason": "RetryExceeded", "status": false, "message": "The workspace''s place cannot be prepared: EISDIR: illegal operation on a directory, rename ''/tmp/codehub-0.1.0/homes/.c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a'' -> ''/tmp/codehub-0.1.0/homes/c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a''", "last_transition_time": "2026-11-16T21:55:39.007Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a-home-cd46df81 is there.", "last_transition_time": "2026-11-16T21:55:35.070Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:36.921Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:55:35.045Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:39.555Z"}}', 'ERROR', '2026-11-16 21:55:39.007+00', '2026-11-16 21:55:39.555+00', 'NONE', NULL, NULL, NULL, '0', NULL, 'ws-c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a-home-cd46df81', NULL, NULL, NULL, '{"exits": [], "failed_wish": 3, "started_image": "codehub/workspace:latest", "restore_marker": null}', 'RetryExceeded', '1', '{"reason": "RetryExceeded", "message": "The workspace''s place cannot be prepared: EISDIR: illegal operation on a directory, rename ''/tmp/codehub-0.1.0/homes/.c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a'' -> ''/tmp/codehub-0.1.0/homes/c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a''", "attempts": 2, "operation": "STARTING", "is_terminal": true, "occurred_at": "2026-11-16T21:55:39.007Z", "previous_phase": "STANDBY"}', '2', NULL, '17', '2026-11-16 21:55:39.56+00'),
  ('d41f06b3-f395-4dab-bc48-a1129fa6805b', '803fe2b6-5e50-4e58-909f-b7062bed014d', '2026-11-16 21:54:04.795+00', 'archived of Ben', 'from 0.1.0', '# archived of Ben', 'codehub/workspace:latest', 'ARCHIVED', '2', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:04.795+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:04.818Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:08.247Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:06.780Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:54:08.247Z", "last_transition_time": "2026-11-16T21:54:08.247Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:06.780Z"}}', 'ARCHIVED', '2026-11-16 21:54:08.247+00', '2026-11-16 21:54:08.255+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, 'd41f06b3-f395-4dab-bc48-a1129fa6805b/700f7383-7246-4f61-a653-2ff99a44b503/home.tar.zst', '700f7383-7246-4f61-a653-2ff99a44b503', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '12', '2026-11-16 21:54:08.256+00'),
  ('dcf5871c-94d0-4773-8888-88caa97dc16a', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:22.342+00', 'pending', 'from 0.1.0', '# pending', 'codehub/workspace:latest', 'PENDING', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:22.342+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:22.391Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:24.763Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:23.751Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:54:24.852Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:23.751Z"}}', 'PENDING', '2026-11-16 21:54:24.852+00', '2026-11-16 21:54:24.859+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, NULL, '2b19f2ce-06af-4625-bb23-f59ca4859bb9', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '16', '2026-11-16 21:54:24.859+00'),
  ('de512393-4dc9-4b4e-aac3-7f70ec20f59f', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:44.807+00', 'archiving', 'from 0.1.0', '# archiving', 'codehub/workspace:latest', 'ARCHIVED', '3', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:55:44.807+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:44.855Z"}, "storage.volume_ready": {"reason": "VolumeFound", "status": true, "message": "Volume ws-de512393-4dc9-4b4e-aac3-7f70ec20f59f-home-e6b2fe87 is there.", "last_transition_time": "2026-11-16T21:55:44.902Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:47.406Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:55:44.855Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:47.406Z"}}', 'STANDBY', '2026-11-16 21:55:47.406+00', '2026-11-16 21:55:47.452+00', 'ARCHIVING', '2026-11-16 21:55:57.584+00', 'bc2a0ca5-272a-4f81-b180-dab356e77be4', '1', '0', NULL, 'ws-de512393-4dc9-4b4e-aac3-7f70ec20f59f-home-e6b2fe87', NULL, 'bc2a0ca5-272a-4f81-b180-dab356e77be4', NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '12', '2026-11-16 21:55:57.589+00'),
  ('de858727-6fc6-47eb-a3af-351d4f9c9dd3', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:55:42.117+00', 'purged', 'from 0.1.0', '# purged', 'codehub/workspace:latest', 'DELETED', '3', '2026-11-16 21:55:44.582+00', 'true', NULL, NULL, NULL, NULL, '2026-11-16 21:55:42.117+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:55:42.160Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:55:44.703Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:55:44.421Z"}, "storage.archive_ready": {"reason": "NoArchive", "status": false, "message": "There is no archive.", "last_transition_time": "2026-11-16T21:55:42.160Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:55:44.421Z"}}', 'DELETED', '2026-11-16 21:55:44.703+00', '2026-11-16 21:55:44.747+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, NULL, NULL, NULL, '{"exits": [], "failed_wish": null, "started_image": "codehub/workspace:latest", "restore_marker": null}', NULL, '0', NULL, '0', NULL, '14', '2026-11-16 21:55:44.748+00'),
  ('f2296eaf-056f-4aac-822b-9f0c6084f40f', '22222fd6-2137-4927-a10a-60e258c090f3', '2026-11-16 21:54:12.008+00', 'archived empty', 'from 0.1.0', '# archived empty', 'codehub/workspace:latest', 'ARCHIVED', '1', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-16 21:54:12.008+00', '{"policy.healthy": {"reason": "Healthy", "status": true, "message": "Nothing is wrong.", "last_transition_time": "2026-11-16T21:54:12.034Z"}, "storage.volume_ready": {"reason": "NoVolume", "status": false, "message": "The row names no volume.", "last_transition_time": "2026-11-16T21:54:12.034Z"}, "infra.container_ready": {"reason": "NoContainer", "status": false, "message": "The recorded container does not run.", "last_transition_time": "2026-11-16T21:54:12.034Z"}, "storage.archive_ready": {"reason": "ArchiveUploaded", "status": true, "message": "The archive was read back and is whole.", "checked_at": "2026-11-16T21:54:13.913Z", "last_transition_time": "2026-11-16T21:54:13.913Z"}, "infra.container_present": {"reason": "NoContainer", "status": false, "message": "No container belongs to this workspace.", "last_transition_time": "2026-11-16T21:54:12.034Z"}}', 'ARCHIVED', '2026-11-16 21:54:13.913+00', '2026-11-16 21:54:13.913+00', 'NONE', NULL, NULL, NULL, '0', NULL, NULL, 'f2296eaf-056f-4aac-822b-9f0c6084f40f/12a6caa6-ef4b-4772-8425-2fc3ba737300/home.tar.zst', '12a6caa6-ef4b-4772-8425-2fc3ba737300', NULL, '{"exits": [], "failed_wish": null, "started_image": null, "restore_marker": null}', NULL, '0', NULL, '0', NULL, '3', '2026-11-16 21:54:13.914+00');
INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest, skipped_sockets, format_version, created_at, verified_at, keep_until) OVERRIDING SYSTEM VALUE VALUES
  ('0614119e-fd02-4462-a279-86383bb50e4f/17454349-6ce6-43a5-824e-f04683a7a25a/home.tar.zst', '0614119e-fd02-4462-a279-86383bb50e4f', '17454349-6ce6-43a5-824e-f04683a7a25a', 'current', '3d9da49e188167d7eca906065e7ca6b0afbff6401c0aaf8da60565f54e308d7b', '1031', '5504', '13', '075e53d58e7c9bff82e9ce0eae2c740e19a187ea0d69e848491f03164a766bf7', '0', '1', '2026-11-16 21:55:52.791+00', '2026-11-16 21:55:52.791+00', NULL),
  ('34e3282f-f779-4931-9276-3092c927caf4/2121b2dd-e53f-4388-a901-14b90624d9bc/home.tar.zst', '34e3282f-f779-4931-9276-3092c927caf4', '2121b2dd-e53f-4388-a901-14b90624d9bc', 'current', '8ee5230108a4650234edc30d7ce3a7cc993fa4053100b4b11c389c678b60fad0', '1037', '5463', '13', 'c61f4f5357d8cfb4957383705ad788f9179dd1b298f5295b1ec3b4e5b1eb6033', '0', '1', '2026-11-16 21:53:59.981+00', '2026-11-16 21:53:59.981+00', NULL),
  ('57893c6d-601d-46ed-a8a4-628a368eb22d/a2be564f-7a7f-49b5-baca-47db18074d6e/home.tar.zst', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'a2be564f-7a7f-49b5-baca-47db18074d6e', 'current', 'dfa2ca492ce29a6b0d2d759ad9ab7337ae92b2237386f47c82c527a7b117b4f1', '1042', '6037', '13', 'dff150da281da5f96d5695b3943f5b277338a93f251f619e47a57573e96bf09a', '0', '1', '2026-11-16 21:54:33.806+00', '2026-11-16 21:54:33.806+00', NULL),
  ('5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'f8a8139e-d63c-4b40-abda-99e8ad3c39ca', 'current', 'a887ca35ac9bc880aef8a9453859e6be2712d3e16ed724f853f0a5d8d1e039fb', '1043', '6119', '13', 'f9adab2579a2373157dbd3ec781215c4b10e6a969afda6a02d5f5b3e789d4067', '0', '1', '2026-11-16 21:54:11.899+00', '2026-11-16 21:54:11.899+00', NULL),
  ('5f5db1a0-3679-4d87-9a5c-7faf7b95b169/5845a733-1a6e-43e9-9c8b-ab3081729bae/home.tar.zst', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', '5845a733-1a6e-43e9-9c8b-ab3081729bae', 'current', 'b592f86fbefaa326ebf370a2ef500c7dcc1e8f083b42654a3b9ec5b8c55bb697', '1043', '6201', '13', '2732641d9fb7607c3b664f26afbf7fff72f635e1bcbf605b78c83ef8a104d7f1', '0', '1', '2026-11-16 21:54:04.677+00', '2026-11-16 21:54:04.677+00', NULL),
  ('982905f6-f765-4ed6-a775-8857ef31c08d/4256baa4-14d3-45e9-8597-3d1de93be9fa/home.tar.zst', '982905f6-f765-4ed6-a775-8857ef31c08d', '4256baa4-14d3-45e9-8597-3d1de93be9fa', 'version', 'aca4c333e4f99c1fb2701a4e92f4ed1d835f8cd8943687e1ae94537f14e76c20', '1033', '5668', '13', '1b8ffb5703b03dc75e1adcae7322fa33f0e1524f9943b810802277ce15e954d5', '0', '1', '2026-11-16 21:54:18.022+00', '2026-11-16 21:54:18.022+00', NULL),
  ('982905f6-f765-4ed6-a775-8857ef31c08d/6c2c1354-dd14-4163-9995-70bc59f66d45/home.tar.zst', '982905f6-f765-4ed6-a775-8857ef31c08d', '6c2c1354-dd14-4163-9995-70bc59f66d45', 'current', '7200bf0a4d1de082ec5339f8270a2cf9f0dfbef78dc229b55c33ad18eea1d125', '1034', '5668', '13', '1b8ffb5703b03dc75e1adcae7322fa33f0e1524f9943b810802277ce15e954d5', '0', '1', '2026-11-16 21:54:20.476+00', '2026-11-16 21:54:20.476+00', NULL),
  ('bc021c7a-bd0d-46ff-85c6-9d400a51c4c8/5bfaf788-7042-4b4b-a3f8-9f965f4df49b/home.tar.zst', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', '5bfaf788-7042-4b4b-a3f8-9f965f4df49b', 'current', '5e0c2a1dc109b78b8b7b1831c62a0874e1453046c21c842db45f41f0dbdf7dfe', '1031', '5627', '13', 'd66044c3e1a119f5742bb384bd0a09df13055610538f0c31d0b7374fdc7fc275', '0', '1', '2026-11-16 21:55:43.939+00', '2026-11-16 21:55:43.939+00', NULL),
  ('d41f06b3-f395-4dab-bc48-a1129fa6805b/700f7383-7246-4f61-a653-2ff99a44b503/home.tar.zst', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', '700f7383-7246-4f61-a653-2ff99a44b503', 'current', '63da1cd7ac18f0ffdd255b669c6efd6ebdf173727cecac6479153408621a282e', '1035', '5750', '13', '4eaa7a0cf2ca3e9db90e40ee48082c209b162ecdd24f5349e91e57c2f282b139', '0', '1', '2026-11-16 21:54:08.247+00', '2026-11-16 21:54:08.247+00', NULL),
  ('dcf5871c-94d0-4773-8888-88caa97dc16a/2b19f2ce-06af-4625-bb23-f59ca4859bb9/home.tar.zst', 'dcf5871c-94d0-4773-8888-88caa97dc16a', '2b19f2ce-06af-4625-bb23-f59ca4859bb9', 'trash', 'b6fccf98c91414244f827a4196440297494c371494d29c7e53fa3dc5623be863', '1024', '5422', '13', '97d8563dc9a578568fedae383ad31c28ed7436c4a4b4edb53838d29bfbda34a2', '0', '1', '2026-11-16 21:54:24.763+00', '2026-11-16 21:54:24.763+00', '2026-11-23 21:54:24.852+00'),
  ('f2296eaf-056f-4aac-822b-9f0c6084f40f/12a6caa6-ef4b-4772-8425-2fc3ba737300/home.tar.zst', 'f2296eaf-056f-4aac-822b-9f0c6084f40f', '12a6caa6-ef4b-4772-8425-2fc3ba737300', 'current', '98f6d5400fe7b4e185cfbcb4a2eeecc7a631c44f843dd19bc1a21f0807ff2d9c', '22', '0', '0', '9b95d5fcd9b013b773e78485feb1e7e708000a8b671bf51a50975c118d66d322', '0', '1', '2026-11-16 21:54:13.913+00', '2026-11-16 21:54:13.913+00', NULL);
INSERT INTO volumes (name, workspace_id, attempt, state, created_at, retired_at) OVERRIDING SYSTEM VALUE VALUES
  ('ws-0614119e-fd02-4462-a279-86383bb50e4f-home-6bc4daf2', '0614119e-fd02-4462-a279-86383bb50e4f', '6bc4daf2-30ce-4620-898c-3f3d964e19ea', 'building', '2026-11-16 21:55:57.616+00', NULL),
  ('ws-0614119e-fd02-4462-a279-86383bb50e4f-home-c4ea36d6', '0614119e-fd02-4462-a279-86383bb50e4f', 'c4ea36d6-7220-4f37-98c7-af6771f0acef', 'retired', '2026-11-16 21:55:47.516+00', '2026-11-16 21:55:52.791+00'),
  ('ws-0caa5da2-c5ca-4095-aae6-57c5ee1594ab-home-4158804b', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', '4158804b-1a67-439a-994a-389c59c62f68', 'current', '2026-11-16 21:54:24.973+00', NULL),
  ('ws-2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39-home-e1c4db86', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'e1c4db86-22d1-4805-991d-c389f6b667ea', 'current', '2026-11-16 21:55:55.456+00', NULL),
  ('ws-34e3282f-f779-4931-9276-3092c927caf4-home-d3895dfa', '34e3282f-f779-4931-9276-3092c927caf4', 'd3895dfa-0609-498c-9470-da8ee6d10576', 'retired', '2026-11-16 21:53:55.052+00', '2026-11-16 21:53:59.981+00'),
  ('ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', '6ce1b8f8-8e3e-40b9-a18f-7d88bc17fd98', 'current', '2026-11-16 21:54:27.868+00', NULL),
  ('ws-57893c6d-601d-46ed-a8a4-628a368eb22d-home-a54e99fd', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'a54e99fd-1fd4-4704-b3c4-845be340277a', 'retired', '2026-11-16 21:54:33.898+00', '2026-11-16 21:54:35.457+00'),
  ('ws-57893c6d-601d-46ed-a8a4-628a368eb22d-home-a59cf39a', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'a59cf39a-04aa-4d9a-9d34-e0f3f1572fb0', 'retired', '2026-11-16 21:54:29.834+00', '2026-11-16 21:54:33.806+00'),
  ('ws-5d64a868-69e9-4afc-93f0-2665bc38f1a4-home-b400895b', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'b400895b-5b68-4981-a217-b7bf6c678bf8', 'retired', '2026-11-16 21:54:08.336+00', '2026-11-16 21:54:11.899+00'),
  ('ws-5f5db1a0-3679-4d87-9a5c-7faf7b95b169-home-7b816f6b', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', '7b816f6b-d003-4ffe-bb90-02ec602dc7f7', 'retired', '2026-11-16 21:54:00.021+00', '2026-11-16 21:54:04.677+00'),
  ('ws-8647c88d-a87e-468a-ae62-b00aff238a38-home-be14102d', '8647c88d-a87e-468a-ae62-b00aff238a38', 'be14102d-ae87-423c-89ef-f510f1429715', 'current', '2026-11-16 21:55:52.91+00', NULL),
  ('ws-8744d152-8e37-4464-b4f4-e36c8d61b1ee-home-7fe88feb', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', '7fe88feb-d18a-47b8-8d45-de324c6a62ed', 'current', '2026-11-16 21:53:52.358+00', NULL),
  ('ws-982905f6-f765-4ed6-a775-8857ef31c08d-home-0d738aa5', '982905f6-f765-4ed6-a775-8857ef31c08d', '0d738aa5-5a58-4c7a-9383-f272c650e263', 'retired', '2026-11-16 21:54:18.153+00', '2026-11-16 21:54:20.476+00'),
  ('ws-982905f6-f765-4ed6-a775-8857ef31c08d-home-2fec74a4', '982905f6-f765-4ed6-a775-8857ef31c08d', '2fec74a4-75be-413e-acc4-085b01849a1d', 'current', '2026-11-16 21:54:20.548+00', NULL),
  ('ws-982905f6-f765-4ed6-a775-8857ef31c08d-home-85fa7edb', '982905f6-f765-4ed6-a775-8857ef31c08d', '85fa7edb-eba3-48cb-bbbe-01c376c1ca82', 'retired', '2026-11-16 21:54:14.101+00', '2026-11-16 21:54:18.022+00'),
  ('ws-b50f1ca7-3dea-4ab1-a00b-f42127817b08-home-7e60be9f', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', '7e60be9f-f450-4af3-8fab-19d5e00ab896', 'current', '2026-11-16 21:54:26.168+00', NULL),
  ('ws-bc021c7a-bd0d-46ff-85c6-9d400a51c4c8-home-da3d5c8c', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'da3d5c8c-12dc-4603-883b-3284d781360e', 'retired', '2026-11-16 21:55:39.487+00', '2026-11-16 21:55:43.939+00'),
  ('ws-c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a-home-cd46df81', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'cd46df81-6c82-4267-8a28-0431eae354fe', 'current', '2026-11-16 21:55:35.029+00', NULL),
  ('ws-d41f06b3-f395-4dab-bc48-a1129fa6805b-home-4ab402d2', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', '4ab402d2-4cbd-4d2e-a302-ed7fdfa26bf3', 'retired', '2026-11-16 21:54:04.811+00', '2026-11-16 21:54:08.247+00'),
  ('ws-dcf5871c-94d0-4773-8888-88caa97dc16a-home-b479eae5', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'b479eae5-f581-4e38-80c5-3a1dca302fc7', 'retired', '2026-11-16 21:54:22.368+00', '2026-11-16 21:54:24.763+00'),
  ('ws-de512393-4dc9-4b4e-aac3-7f70ec20f59f-home-e6b2fe87', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'e6b2fe87-88b5-474e-b5a6-c880610b19fd', 'current', '2026-11-16 21:55:44.842+00', NULL),
  ('ws-de858727-6fc6-47eb-a3af-351d4f9c9dd3-home-8152da14', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', '8152da14-d142-4dee-af22-a2e62ab30a66', 'retired', '2026-11-16 21:55:42.158+00', '2026-11-16 21:55:44.703+00');
INSERT INTO gc_marks (key, marked_at) OVERRIDING SYSTEM VALUE VALUES
  ('00000000-0000-4000-8000-000000000000/00000000-0000-4000-8000-000000000001/home.tar.zst', '2026-11-16 21:56:10.131+00');
INSERT INTO progress (workspace_id, op_id, stage, done_bytes, total_bytes, done_files, bytes_per_second, updated_at) OVERRIDING SYSTEM VALUE VALUES
  ('0614119e-fd02-4462-a279-86383bb50e4f', '6bc4daf2-30ce-4620-898c-3f3d964e19ea', 'unpacking', '0', '5504', '0', NULL, '2026-11-16 21:55:58.489+00'),
  ('34e3282f-f779-4931-9276-3092c927caf4', '2121b2dd-e53f-4388-a901-14b90624d9bc', 'checking', '0', '5463', '0', NULL, '2026-11-16 21:53:59.204+00'),
  ('57893c6d-601d-46ed-a8a4-628a368eb22d', 'a54e99fd-1fd4-4704-b3c4-845be340277a', 'unpacking', '0', '6037', '0', NULL, '2026-11-16 21:54:34.387+00'),
  ('5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'f8a8139e-d63c-4b40-abda-99e8ad3c39ca', 'packing', '0', NULL, '0', NULL, '2026-11-16 21:54:10.279+00'),
  ('5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'cc7519c8-5fd8-4fa3-a30a-4e3fb74685d2', 'checking', '0', '5873', '0', NULL, '2026-11-16 21:54:03.255+00'),
  ('8647c88d-a87e-468a-ae62-b00aff238a38', '4c44503e-7041-41f6-8828-619c6a554c62', 'packing', '0', '36864', '1', '0', '2026-11-16 21:55:59.925+00'),
  ('982905f6-f765-4ed6-a775-8857ef31c08d', '2fec74a4-75be-413e-acc4-085b01849a1d', 'unpacking', '0', '5668', '0', NULL, '2026-11-16 21:54:20.952+00'),
  ('bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', '5bfaf788-7042-4b4b-a3f8-9f965f4df49b', 'packing', '0', NULL, '0', NULL, '2026-11-16 21:55:42.745+00'),
  ('d41f06b3-f395-4dab-bc48-a1129fa6805b', '700f7383-7246-4f61-a653-2ff99a44b503', 'packing', '0', NULL, '0', NULL, '2026-11-16 21:54:07.068+00'),
  ('dcf5871c-94d0-4773-8888-88caa97dc16a', '2b19f2ce-06af-4625-bb23-f59ca4859bb9', 'packing', '0', NULL, '0', NULL, '2026-11-16 21:54:24.002+00'),
  ('de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'bc2a0ca5-272a-4f81-b180-dab356e77be4', 'packing', '0', '36864', '1', '0', '2026-11-16 21:55:59.332+00'),
  ('f2296eaf-056f-4aac-822b-9f0c6084f40f', '12a6caa6-ef4b-4772-8425-2fc3ba737300', 'checking', '0', '0', '0', NULL, '2026-11-16 21:54:13.023+00');
INSERT INTO host_ports (port, workspace_id, attempt, reserved_at) OVERRIDING SYSTEM VALUE VALUES
  ('20117', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', '9dea3e52-0a1d-48c2-9460-2a316b5e00ca', '2026-11-16 21:56:10.128+00');
INSERT INTO leader (singleton, epoch, holder, acquired_at) OVERRIDING SYSTEM VALUE VALUES
  ('true', '1', 'vm 32116', '2026-11-16 21:53:47.636+00');
INSERT INTO deployment (singleton, deployment_id, created_at, runtime_kind, engine_id, store_id, gc_generation, gc_last_run_at, gc_quarantined_at, gc_quarantine_reason) OVERRIDING SYSTEM VALUE VALUES
  ('true', '3458bee0-a717-4ab9-9ee0-420b9ea223fc', '2026-11-16 21:53:47.352+00', 'process', 'process-dfb9833df5af1c3ea2bebdc172aaec36', '42f636c3-a9a3-405e-9d35-2a3619eb2201', '2', '2026-11-16 21:55:50.774+00', NULL, NULL);
INSERT INTO component_health (name, status, detail, since, updated_at) OVERRIDING SYSTEM VALUE VALUES
  ('coordinator', 'ok', 'Leads at epoch 1.', '2026-11-16 21:53:50.937+00', '2026-11-16 21:55:50.731+00'),
  ('engine', 'ok', 'process-dfb9833df5af1c3ea2bebdc172aaec36', '2026-11-16 21:53:50.937+00', '2026-11-16 21:55:50.735+00'),
  ('store', 'ok', '42f636c3-a9a3-405e-9d35-2a3619eb2201', '2026-11-16 21:53:50.937+00', '2026-11-16 21:55:50.736+00');
INSERT INTO fleet_samples (at, counts) OVERRIDING SYSTEM VALUE VALUES
  ('2026-11-16 21:54:50.759+00', '{"ERROR": 2, "PENDING": 1, "RUNNING": 2, "STANDBY": 2, "ARCHIVED": 5}'),
  ('2026-11-16 21:55:50.774+00', '{"ERROR": 4, "DELETED": 2, "PENDING": 1, "RUNNING": 2, "STANDBY": 4, "ARCHIVED": 4}');
INSERT INTO workspace_events (id, at, kind, workspace_id, actor_kind, actor_id, summary, from_phase, to_phase, operation, details) OVERRIDING SYSTEM VALUE VALUES
  ('1', '2026-11-16 21:53:47.927+00', 'user_created', NULL, 'system', NULL, 'mina was created', NULL, NULL, NULL, '{"role": "admin", "user_id": "694f0bb6-6e9f-4b6c-ac6a-c23425761414", "username": "mina"}'),
  ('10', '2026-11-16 21:53:51.854+00', 'user_created', NULL, 'admin', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'carl was created', NULL, NULL, NULL, '{"role": "user", "address": "127.0.0.1", "user_id": "f87c2cd9-feee-44b3-9045-598d06841467", "username": "carl"}'),
  ('100', '2026-11-16 21:54:24.99+00', 'operation_completed', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "4158804b-1a67-439a-994a-389c59c62f68", "operation": "PROVISIONING", "duration_ms": 13}'),
  ('101', '2026-11-16 21:54:25.004+00', 'operation_started', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "a5b33805-8cba-4e1a-bf1f-27b7708a6fd4"}'),
  ('102', '2026-11-16 21:54:25.859+00', 'operation_completed', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "a5b33805-8cba-4e1a-bf1f-27b7708a6fd4", "operation": "STARTING", "duration_ms": 851}'),
  ('103', '2026-11-16 21:54:26.138+00', 'created', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('104', '2026-11-16 21:54:26.215+00', 'operation_started', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "7e60be9f-f450-4af3-8fab-19d5e00ab896"}'),
  ('105', '2026-11-16 21:54:26.319+00', 'operation_completed', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "7e60be9f-f450-4af3-8fab-19d5e00ab896", "operation": "PROVISIONING", "duration_ms": 125}'),
  ('106', '2026-11-16 21:54:26.333+00', 'operation_started', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "2a1dd6f8-2b5d-4c81-bc7b-25ea5dc1f471"}'),
  ('107', '2026-11-16 21:54:27.554+00', 'operation_completed', 'b50f1ca7-3dea-4ab1-a00b-f42127817b08', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "2a1dd6f8-2b5d-4c81-bc7b-25ea5dc1f471", "operation": "STARTING", "duration_ms": 1157}'),
  ('108', '2026-11-16 21:54:27.865+00', 'created', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('109', '2026-11-16 21:54:27.871+00', 'operation_started', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "6ce1b8f8-8e3e-40b9-a18f-7d88bc17fd98"}'),
  ('11', '2026-11-16 21:53:52.074+00', 'login', NULL, 'user', 'f87c2cd9-feee-44b3-9045-598d06841467', 'carl signed in', NULL, NULL, NULL, '{"address": "127.0.0.1"}'),
  ('110', '2026-11-16 21:54:27.916+00', 'operation_completed', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "6ce1b8f8-8e3e-40b9-a18f-7d88bc17fd98", "operation": "PROVISIONING", "duration_ms": 45}'),
  ('111', '2026-11-16 21:54:27.932+00', 'operation_started', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "96911235-6259-45ab-80f2-d00ddd4f58eb"}'),
  ('112', '2026-11-16 21:54:28.864+00', 'operation_completed', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "96911235-6259-45ab-80f2-d00ddd4f58eb", "operation": "STARTING", "duration_ms": 931}'),
  ('113', '2026-11-16 21:54:29.067+00', 'wish', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('114', '2026-11-16 21:54:29.121+00', 'operation_started', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "e2f9ecf5-0148-49be-9cd7-bd8d86301e60"}'),
  ('115', '2026-11-16 21:54:29.72+00', 'operation_completed', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "e2f9ecf5-0148-49be-9cd7-bd8d86301e60", "operation": "STOPPING", "duration_ms": 581}'),
  ('116', '2026-11-16 21:54:29.795+00', 'wish', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'STANDBY', 'RUNNING', NULL, '{}'),
  ('117', '2026-11-16 21:54:29.829+00', 'created', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('118', '2026-11-16 21:54:29.866+00', 'operation_started', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "a59cf39a-04aa-4d9a-9d34-e0f3f1572fb0"}'),
  ('119', '2026-11-16 21:54:29.979+00', 'operation_completed', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "a59cf39a-04aa-4d9a-9d34-e0f3f1572fb0", "operation": "PROVISIONING", "duration_ms": 103}'),
  ('12', '2026-11-16 21:53:52.087+00', 'token_created', NULL, 'user', 'f87c2cd9-feee-44b3-9045-598d06841467', 'the API token "laptop" was made', NULL, NULL, NULL, '{"address": "127.0.0.1", "token_id": "a4dea9b6-ec8d-4b5e-b349-f59bf4d73a0e"}'),
  ('120', '2026-11-16 21:54:30.023+00', 'operation_started', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "8b73c4b3-7b87-43ca-8fd5-e8bf8da32ba3"}'),
  ('121', '2026-11-16 21:54:31.253+00', 'operation_completed', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "8b73c4b3-7b87-43ca-8fd5-e8bf8da32ba3", "operation": "STARTING", "duration_ms": 1232}'),
  ('122', '2026-11-16 21:54:31.437+00', 'wish', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('123', '2026-11-16 21:54:31.469+00', 'operation_started', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "1fac1ced-8543-4098-b04a-cc30cb3121a3"}'),
  ('124', '2026-11-16 21:54:31.754+00', 'operation_completed', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "1fac1ced-8543-4098-b04a-cc30cb3121a3", "operation": "STOPPING", "duration_ms": 271}'),
  ('125', '2026-11-16 21:54:31.843+00', 'operation_started', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "a2be564f-7a7f-49b5-baca-47db18074d6e"}'),
  ('126', '2026-11-16 21:54:33.811+00', 'operation_completed', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "a2be564f-7a7f-49b5-baca-47db18074d6e", "sha256": "dfa2ca492ce29a6b0d2d759ad9ab7337ae92b2237386f47c82c527a7b117b4f1", "operation": "ARCHIVING", "sizeBytes": 1042, "entryCount": 13, "duration_ms": 1965, "contentBytes": 6037, "formatVersion": 1, "manifestDigest": "dff150da281da5f96d5695b3943f5b277338a93f251f619e47a57573e96bf09a", "skippedSockets": 0}'),
  ('127', '2026-11-16 21:54:33.884+00', 'wish', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'ARCHIVED', 'STANDBY', NULL, '{}'),
  ('128', '2026-11-16 21:54:33.907+00', 'operation_started', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'STANDBY is wished, ARCHIVED is there', 'ARCHIVED', NULL, 'RESTORING', '{"epoch": 1, "op_id": "a54e99fd-1fd4-4704-b3c4-845be340277a"}'),
  ('129', '2026-11-16 21:54:35.471+00', 'error', '57893c6d-601d-46ed-a8a4-628a368eb22d', 'coordinator', NULL, 'ArchiveCorrupted', 'ARCHIVED', 'ERROR', 'RESTORING', '{"op_id": "a54e99fd-1fd4-4704-b3c4-845be340277a", "message": "the archive is damaged: its checksum is c4f94b3cde565cbf86844ca34395603a9383b53a5b0ceaf60d6283f27a3ed8be, dfa2ca492ce29a6b0d2d759ad9ab7337ae92b2237386f47c82c527a7b117b4f1 was recorded", "attempts": 1, "operation": "RESTORING"}'),
  ('13', '2026-11-16 21:53:52.119+00', 'user_disabled', NULL, 'admin', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'carl was disabled', NULL, NULL, NULL, '{"address": "127.0.0.1", "user_id": "f87c2cd9-feee-44b3-9045-598d06841467", "username": "carl"}'),
  ('130', '2026-11-16 21:54:39.888+00', 'phase_changed', '41e9e1b0-6810-445a-bf3e-f934622f1ec4', 'coordinator', NULL, 'Volume ws-41e9e1b0-6810-445a-bf3e-f934622f1ec4-home-6ce1b8f8 holds the home and was not found twice. Nothing is created in its place: bring the volume back, or recover from an archive.', 'STANDBY', 'ERROR', NULL, '{}'),
  ('131', '2026-11-16 21:55:34.955+00', 'wish', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'ARCHIVED', 'STANDBY', NULL, '{}'),
  ('132', '2026-11-16 21:55:34.99+00', 'created', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('133', '2026-11-16 21:55:35.04+00', 'phase_changed', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'The archive 5d64a868-69e9-4afc-93f0-2665bc38f1a4/f8a8139e-d63c-4b40-abda-99e8ad3c39ca/home.tar.zst is not in the store.', 'ARCHIVED', 'ERROR', NULL, '{}'),
  ('134', '2026-11-16 21:55:35.054+00', 'operation_started', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "cd46df81-6c82-4267-8a28-0431eae354fe"}'),
  ('135', '2026-11-16 21:55:35.072+00', 'operation_completed', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "cd46df81-6c82-4267-8a28-0431eae354fe", "operation": "PROVISIONING", "duration_ms": 25}'),
  ('136', '2026-11-16 21:55:35.084+00', 'operation_started', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "c06f9405-00ac-49ea-a1ff-6b46d523a00c"}'),
  ('137', '2026-11-16 21:55:35.918+00', 'operation_completed', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "c06f9405-00ac-49ea-a1ff-6b46d523a00c", "operation": "STARTING", "duration_ms": 834}'),
  ('138', '2026-11-16 21:55:36.177+00', 'wish', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('139', '2026-11-16 21:55:36.243+00', 'operation_started', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "63afb0a2-badf-4fcf-8840-3931ee3c360a"}'),
  ('14', '2026-11-16 21:53:52.269+00', 'login_failed', NULL, 'system', NULL, 'a sign-in failed: wrong name or password', NULL, NULL, NULL, '{"address": "127.0.0.1", "user_id": "22222fd6-2137-4927-a10a-60e258c090f3", "username": "anna"}'),
  ('140', '2026-11-16 21:55:36.925+00', 'operation_completed', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "63afb0a2-badf-4fcf-8840-3931ee3c360a", "operation": "STOPPING", "duration_ms": 686}'),
  ('141', '2026-11-16 21:55:37.053+00', 'wish', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'STANDBY', 'RUNNING', NULL, '{}'),
  ('142', '2026-11-16 21:55:37.088+00', 'operation_started', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "5bf2022a-d3af-4dfb-a533-5418d00653e2"}'),
  ('143', '2026-11-16 21:55:37.351+00', 'attempt_failed', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'ActionFailed', 'STANDBY', NULL, 'STARTING', '{"op_id": "5bf2022a-d3af-4dfb-a533-5418d00653e2", "message": "The workspace''s place cannot be prepared: EISDIR: illegal operation on a directory, rename ''/tmp/codehub-0.1.0/homes/.c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a'' -> ''/tmp/codehub-0.1.0/homes/c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a''", "attempts": 1, "operation": "STARTING"}'),
  ('144', '2026-11-16 21:55:38.083+00', 'operation_started', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "d3861c7d-1a68-44c1-b40f-32cec7f0470f"}'),
  ('145', '2026-11-16 21:55:39.009+00', 'error', 'c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a', 'coordinator', NULL, 'RetryExceeded', 'STANDBY', 'ERROR', 'STARTING', '{"op_id": "d3861c7d-1a68-44c1-b40f-32cec7f0470f", "message": "The workspace''s place cannot be prepared: EISDIR: illegal operation on a directory, rename ''/tmp/codehub-0.1.0/homes/.c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a'' -> ''/tmp/codehub-0.1.0/homes/c57c76de-76ec-4ac2-8f7c-3e41cb6abb1a''", "attempts": 2, "operation": "STARTING"}'),
  ('146', '2026-11-16 21:55:39.323+00', 'created', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('147', '2026-11-16 21:55:39.516+00', 'operation_started', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "da3d5c8c-12dc-4603-883b-3284d781360e"}'),
  ('148', '2026-11-16 21:55:39.612+00', 'operation_completed', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "da3d5c8c-12dc-4603-883b-3284d781360e", "operation": "PROVISIONING", "duration_ms": 107}'),
  ('149', '2026-11-16 21:55:39.642+00', 'operation_started', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "02e1dab2-d34a-4441-9220-403911229f7b"}'),
  ('15', '2026-11-16 21:53:52.325+00', 'created', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('150', '2026-11-16 21:55:40.951+00', 'operation_completed', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "02e1dab2-d34a-4441-9220-403911229f7b", "operation": "STARTING", "duration_ms": 1307}'),
  ('151', '2026-11-16 21:55:41.213+00', 'wish', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('152', '2026-11-16 21:55:41.298+00', 'operation_started', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "db6df9ea-c2e1-41d3-8193-5314a2f30a9b"}'),
  ('153', '2026-11-16 21:55:41.98+00', 'operation_completed', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "db6df9ea-c2e1-41d3-8193-5314a2f30a9b", "operation": "STOPPING", "duration_ms": 684}'),
  ('154', '2026-11-16 21:55:42.101+00', 'delete', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'deleted; undo is possible', 'STANDBY', 'DELETED', NULL, '{}'),
  ('155', '2026-11-16 21:55:42.124+00', 'phase_changed', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'seen', 'STANDBY', 'DELETING', 'DELETING', '{}'),
  ('156', '2026-11-16 21:55:42.125+00', 'operation_started', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'deleted: a last copy is made for undo', 'DELETING', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "5bfaf788-7042-4b4b-a3f8-9f965f4df49b"}'),
  ('157', '2026-11-16 21:55:42.128+00', 'created', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('158', '2026-11-16 21:55:42.161+00', 'operation_started', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "8152da14-d142-4dee-af22-a2e62ab30a66"}'),
  ('159', '2026-11-16 21:55:42.176+00', 'operation_completed', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "8152da14-d142-4dee-af22-a2e62ab30a66", "operation": "PROVISIONING", "duration_ms": 14}'),
  ('16', '2026-11-16 21:53:52.381+00', 'operation_started', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "7fe88feb-d18a-47b8-8d45-de324c6a62ed"}'),
  ('160', '2026-11-16 21:55:42.183+00', 'operation_started', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "d9e61562-7708-42f5-b205-dec48403b4ab"}'),
  ('161', '2026-11-16 21:55:43.92+00', 'operation_completed', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "d9e61562-7708-42f5-b205-dec48403b4ab", "operation": "STARTING", "duration_ms": 1724}'),
  ('162', '2026-11-16 21:55:43.942+00', 'operation_completed', 'bc021c7a-bd0d-46ff-85c6-9d400a51c4c8', 'coordinator', NULL, 'ARCHIVING completed', 'DELETING', 'DELETED', 'ARCHIVING', '{"op_id": "5bfaf788-7042-4b4b-a3f8-9f965f4df49b", "sha256": "5e0c2a1dc109b78b8b7b1831c62a0874e1453046c21c842db45f41f0dbdf7dfe", "operation": "ARCHIVING", "sizeBytes": 1031, "entryCount": 13, "duration_ms": 1817, "contentBytes": 5627, "formatVersion": 1, "manifestDigest": "d66044c3e1a119f5742bb384bd0a09df13055610538f0c31d0b7374fdc7fc275", "skippedSockets": 0}'),
  ('163', '2026-11-16 21:55:44.139+00', 'wish', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('164', '2026-11-16 21:55:44.162+00', 'operation_started', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "4ca38f8b-bb36-4bea-87d7-9ed147a6ffa8"}'),
  ('165', '2026-11-16 21:55:44.431+00', 'operation_completed', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "4ca38f8b-bb36-4bea-87d7-9ed147a6ffa8", "operation": "STOPPING", "duration_ms": 261}'),
  ('166', '2026-11-16 21:55:44.607+00', 'delete', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'purged', 'STANDBY', 'DELETED', NULL, '{}'),
  ('167', '2026-11-16 21:55:44.684+00', 'phase_changed', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'seen', 'STANDBY', 'DELETING', 'DELETING', '{}'),
  ('168', '2026-11-16 21:55:44.686+00', 'operation_started', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'purged', 'DELETING', 'DELETING', 'DELETING', '{"epoch": 1, "op_id": "a4effb3e-9c0d-425a-af59-ff3d46a1d8a3"}'),
  ('169', '2026-11-16 21:55:44.719+00', 'operation_completed', 'de858727-6fc6-47eb-a3af-351d4f9c9dd3', 'coordinator', NULL, 'DELETING completed', 'DELETING', 'DELETED', 'DELETING', '{"op_id": "a4effb3e-9c0d-425a-af59-ff3d46a1d8a3", "operation": "DELETING", "duration_ms": 32}'),
  ('17', '2026-11-16 21:53:52.679+00', 'operation_completed', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "7fe88feb-d18a-47b8-8d45-de324c6a62ed", "operation": "PROVISIONING", "duration_ms": 313}'),
  ('170', '2026-11-16 21:55:44.823+00', 'created', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('171', '2026-11-16 21:55:44.859+00', 'operation_started', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "e6b2fe87-88b5-474e-b5a6-c880610b19fd"}'),
  ('172', '2026-11-16 21:55:44.904+00', 'operation_completed', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "e6b2fe87-88b5-474e-b5a6-c880610b19fd", "operation": "PROVISIONING", "duration_ms": 47}'),
  ('173', '2026-11-16 21:55:44.921+00', 'operation_started', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "fbb43bab-6297-49ef-9b25-c8ab3d6bbcb5"}'),
  ('174', '2026-11-16 21:55:46.096+00', 'operation_completed', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "fbb43bab-6297-49ef-9b25-c8ab3d6bbcb5", "operation": "STARTING", "duration_ms": 1173}'),
  ('175', '2026-11-16 21:55:46.438+00', 'wish', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('176', '2026-11-16 21:55:46.539+00', 'operation_started', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "244b12ec-757e-43a0-bdca-8d9cbc03f719"}'),
  ('177', '2026-11-16 21:55:47.415+00', 'operation_completed', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "244b12ec-757e-43a0-bdca-8d9cbc03f719", "operation": "STOPPING", "duration_ms": 871}'),
  ('178', '2026-11-16 21:55:47.501+00', 'created', '0614119e-fd02-4462-a279-86383bb50e4f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('179', '2026-11-16 21:55:47.543+00', 'operation_started', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "c4ea36d6-7220-4f37-98c7-af6771f0acef"}'),
  ('18', '2026-11-16 21:53:52.723+00', 'operation_started', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "c4b5d76f-0fdc-4757-a3f5-06ef9c5850c7"}'),
  ('180', '2026-11-16 21:55:47.679+00', 'operation_completed', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "c4ea36d6-7220-4f37-98c7-af6771f0acef", "operation": "PROVISIONING", "duration_ms": 146}'),
  ('181', '2026-11-16 21:55:47.701+00', 'operation_started', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "53096b75-d4ae-4713-96fb-b7dd84325252"}'),
  ('182', '2026-11-16 21:55:49.311+00', 'operation_completed', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "53096b75-d4ae-4713-96fb-b7dd84325252", "operation": "STARTING", "duration_ms": 1608}'),
  ('183', '2026-11-16 21:55:49.627+00', 'wish', '0614119e-fd02-4462-a279-86383bb50e4f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('184', '2026-11-16 21:55:49.647+00', 'operation_started', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "5c17f8f7-d324-4dbb-a0fb-7f56ec6bc86a"}'),
  ('185', '2026-11-16 21:55:50.271+00', 'operation_completed', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "5c17f8f7-d324-4dbb-a0fb-7f56ec6bc86a", "operation": "STOPPING", "duration_ms": 620}'),
  ('186', '2026-11-16 21:55:50.378+00', 'operation_started', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "17454349-6ce6-43a5-824e-f04683a7a25a"}'),
  ('187', '2026-11-16 21:55:52.793+00', 'operation_completed', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "17454349-6ce6-43a5-824e-f04683a7a25a", "sha256": "3d9da49e188167d7eca906065e7ca6b0afbff6401c0aaf8da60565f54e308d7b", "operation": "ARCHIVING", "sizeBytes": 1031, "entryCount": 13, "duration_ms": 2472, "contentBytes": 5504, "formatVersion": 1, "manifestDigest": "075e53d58e7c9bff82e9ce0eae2c740e19a187ea0d69e848491f03164a766bf7", "skippedSockets": 0}'),
  ('188', '2026-11-16 21:55:52.904+00', 'created', '8647c88d-a87e-468a-ae62-b00aff238a38', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('189', '2026-11-16 21:55:52.917+00', 'operation_started', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "be14102d-ae87-423c-89ef-f510f1429715"}'),
  ('19', '2026-11-16 21:53:54.262+00', 'operation_completed', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "c4b5d76f-0fdc-4757-a3f5-06ef9c5850c7", "operation": "STARTING", "duration_ms": 1537}'),
  ('190', '2026-11-16 21:55:52.979+00', 'operation_completed', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "be14102d-ae87-423c-89ef-f510f1429715", "operation": "PROVISIONING", "duration_ms": 66}'),
  ('191', '2026-11-16 21:55:52.989+00', 'operation_started', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "0806aec6-1830-49e0-803d-2a9e65b46736"}'),
  ('192', '2026-11-16 21:55:54.054+00', 'operation_completed', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "0806aec6-1830-49e0-803d-2a9e65b46736", "operation": "STARTING", "duration_ms": 1066}'),
  ('193', '2026-11-16 21:55:54.384+00', 'wish', '8647c88d-a87e-468a-ae62-b00aff238a38', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('194', '2026-11-16 21:55:54.392+00', 'operation_started', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "ce9e5ce1-b742-4d0a-979e-99ffb2c5e94f"}'),
  ('195', '2026-11-16 21:55:55.273+00', 'operation_completed', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "ce9e5ce1-b742-4d0a-979e-99ffb2c5e94f", "operation": "STOPPING", "duration_ms": 882}'),
  ('196', '2026-11-16 21:55:55.438+00', 'created', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('197', '2026-11-16 21:55:55.47+00', 'operation_started', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "e1c4db86-22d1-4805-991d-c389f6b667ea"}'),
  ('198', '2026-11-16 21:55:55.496+00', 'operation_completed', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "e1c4db86-22d1-4805-991d-c389f6b667ea", "operation": "PROVISIONING", "duration_ms": 34}'),
  ('199', '2026-11-16 21:55:55.506+00', 'operation_started', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "abd36c3f-ab06-43d7-bfad-34108340ebeb"}'),
  ('2', '2026-11-16 21:53:49.931+00', 'login', NULL, 'user', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'mina signed in', NULL, NULL, NULL, '{"address": "127.0.0.1"}'),
  ('20', '2026-11-16 21:53:54.598+00', 'wish', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('200', '2026-11-16 21:55:56.288+00', 'operation_completed', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "abd36c3f-ab06-43d7-bfad-34108340ebeb", "operation": "STARTING", "duration_ms": 778}'),
  ('201', '2026-11-16 21:55:56.507+00', 'wish', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'STANDBY', NULL, '{}'),
  ('202', '2026-11-16 21:55:56.527+00', 'operation_started', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "0db23f73-0654-4163-8cf9-17fabfa96318"}'),
  ('203', '2026-11-16 21:55:57.331+00', 'operation_completed', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "0db23f73-0654-4163-8cf9-17fabfa96318", "operation": "STOPPING", "duration_ms": 800}'),
  ('204', '2026-11-16 21:55:57.548+00', 'wish', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'STANDBY', 'ARCHIVED', NULL, '{}'),
  ('205', '2026-11-16 21:55:57.6+00', 'wish', '0614119e-fd02-4462-a279-86383bb50e4f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'ARCHIVED', 'RUNNING', NULL, '{}'),
  ('206', '2026-11-16 21:55:57.601+00', 'operation_started', 'de512393-4dc9-4b4e-aac3-7f70ec20f59f', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "bc2a0ca5-272a-4f81-b180-dab356e77be4"}'),
  ('207', '2026-11-16 21:55:57.672+00', 'operation_started', '0614119e-fd02-4462-a279-86383bb50e4f', 'coordinator', NULL, 'RUNNING is wished, ARCHIVED is there', 'ARCHIVED', NULL, 'RESTORING', '{"epoch": 1, "op_id": "6bc4daf2-30ce-4620-898c-3f3d964e19ea"}'),
  ('208', '2026-11-16 21:55:57.689+00', 'wish', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'STANDBY', 'RUNNING', NULL, '{}'),
  ('209', '2026-11-16 21:55:57.732+00', 'operation_started', '2f9a83fa-ff4d-44b9-a64e-cf9fd9eece39', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "8d302fb8-28e2-4a14-9615-26f019028e5f"}'),
  ('21', '2026-11-16 21:53:54.643+00', 'operation_started', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'STANDBY is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "fa004c60-e84f-4148-894e-0665149a611d"}'),
  ('210', '2026-11-16 21:55:57.835+00', 'delete', '8647c88d-a87e-468a-ae62-b00aff238a38', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'deleted; undo is possible', 'STANDBY', 'DELETED', NULL, '{}'),
  ('211', '2026-11-16 21:55:57.973+00', 'phase_changed', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'seen', 'STANDBY', 'DELETING', 'DELETING', '{}'),
  ('212', '2026-11-16 21:55:57.976+00', 'operation_started', '8647c88d-a87e-468a-ae62-b00aff238a38', 'coordinator', NULL, 'deleted: a last copy is made for undo', 'DELETING', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "4c44503e-7041-41f6-8828-619c6a554c62"}'),
  ('22', '2026-11-16 21:53:54.916+00', 'operation_completed', '8744d152-8e37-4464-b4f4-e36c8d61b1ee', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "fa004c60-e84f-4148-894e-0665149a611d", "operation": "STOPPING", "duration_ms": 268}'),
  ('23', '2026-11-16 21:53:55.027+00', 'created', '34e3282f-f779-4931-9276-3092c927caf4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('24', '2026-11-16 21:53:55.111+00', 'operation_started', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "d3895dfa-0609-498c-9470-da8ee6d10576"}'),
  ('25', '2026-11-16 21:53:55.174+00', 'operation_completed', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "d3895dfa-0609-498c-9470-da8ee6d10576", "operation": "PROVISIONING", "duration_ms": 87}'),
  ('26', '2026-11-16 21:53:55.218+00', 'operation_started', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "3b32fad2-aaac-4b57-97bb-72f8a7993b63"}'),
  ('27', '2026-11-16 21:53:56.215+00', 'operation_completed', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "3b32fad2-aaac-4b57-97bb-72f8a7993b63", "operation": "STARTING", "duration_ms": 996}'),
  ('28', '2026-11-16 21:53:56.421+00', 'wish', '34e3282f-f779-4931-9276-3092c927caf4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('29', '2026-11-16 21:53:56.527+00', 'operation_started', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "ec1895c1-dffc-49fc-8100-c6cccd5d5af6"}'),
  ('3', '2026-11-16 21:53:50.047+00', 'token_created', NULL, 'admin', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'the API token "laptop" was made', NULL, NULL, NULL, '{"address": "127.0.0.1", "token_id": "e67f065a-bf7f-4579-8e6b-667fa765218e"}'),
  ('30', '2026-11-16 21:53:57.244+00', 'operation_completed', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "ec1895c1-dffc-49fc-8100-c6cccd5d5af6", "operation": "STOPPING", "duration_ms": 731}'),
  ('31', '2026-11-16 21:53:57.253+00', 'operation_started', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "2121b2dd-e53f-4388-a901-14b90624d9bc"}'),
  ('32', '2026-11-16 21:53:59.987+00', 'operation_completed', '34e3282f-f779-4931-9276-3092c927caf4', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "2121b2dd-e53f-4388-a901-14b90624d9bc", "sha256": "8ee5230108a4650234edc30d7ce3a7cc993fa4053100b4b11c389c678b60fad0", "operation": "ARCHIVING", "sizeBytes": 1037, "entryCount": 13, "duration_ms": 2729, "contentBytes": 5463, "formatVersion": 1, "manifestDigest": "c61f4f5357d8cfb4957383705ad788f9179dd1b298f5295b1ec3b4e5b1eb6033", "skippedSockets": 0}'),
  ('33', '2026-11-16 21:54:00.018+00', 'created', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('34', '2026-11-16 21:54:00.047+00', 'operation_started', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "7b816f6b-d003-4ffe-bb90-02ec602dc7f7"}'),
  ('35', '2026-11-16 21:54:00.097+00', 'operation_completed', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "7b816f6b-d003-4ffe-bb90-02ec602dc7f7", "operation": "PROVISIONING", "duration_ms": 67}'),
  ('36', '2026-11-16 21:54:00.105+00', 'operation_started', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "90a143a4-fe84-42f0-9a19-cb01c18646ff"}'),
  ('37', '2026-11-16 21:54:01.021+00', 'operation_completed', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "90a143a4-fe84-42f0-9a19-cb01c18646ff", "operation": "STARTING", "duration_ms": 914}'),
  ('38', '2026-11-16 21:54:01.186+00', 'wish', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('39', '2026-11-16 21:54:01.202+00', 'operation_started', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "36ad888b-5dba-40cc-9fb1-f414f8907b32"}'),
  ('4', '2026-11-16 21:53:50.551+00', 'user_created', NULL, 'admin', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'anna was created', NULL, NULL, NULL, '{"role": "user", "address": "127.0.0.1", "user_id": "22222fd6-2137-4927-a10a-60e258c090f3", "username": "anna"}'),
  ('40', '2026-11-16 21:54:01.629+00', 'operation_completed', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "36ad888b-5dba-40cc-9fb1-f414f8907b32", "operation": "STOPPING", "duration_ms": 427}'),
  ('41', '2026-11-16 21:54:01.657+00', 'operation_started', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "cc7519c8-5fd8-4fa3-a30a-4e3fb74685d2"}'),
  ('42', '2026-11-16 21:54:04.681+00', 'operation_completed', '5f5db1a0-3679-4d87-9a5c-7faf7b95b169', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "cc7519c8-5fd8-4fa3-a30a-4e3fb74685d2", "sha256": "9c87a363df03266cb424881170f9741a10fc1e02c46ef59b61ed6f1cbd41b9af", "operation": "ARCHIVING", "sizeBytes": 1044, "entryCount": 13, "duration_ms": 3027, "contentBytes": 5873, "formatVersion": 1, "manifestDigest": "a7a23f30cac448df66eff6d2a0640b612753c5882837cd4b54d8c3c8adbc95a8", "skippedSockets": 0}'),
  ('43', '2026-11-16 21:54:04.804+00', 'created', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'user', '803fe2b6-5e50-4e58-909f-b7062bed014d', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('44', '2026-11-16 21:54:04.825+00', 'operation_started', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "4ab402d2-4cbd-4d2e-a302-ed7fdfa26bf3"}'),
  ('45', '2026-11-16 21:54:05.02+00', 'operation_completed', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "4ab402d2-4cbd-4d2e-a302-ed7fdfa26bf3", "operation": "PROVISIONING", "duration_ms": 192}'),
  ('46', '2026-11-16 21:54:05.071+00', 'operation_started', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "04d5a74c-1a87-4eea-9afe-eea95d37ab21"}'),
  ('47', '2026-11-16 21:54:06.169+00', 'operation_completed', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "04d5a74c-1a87-4eea-9afe-eea95d37ab21", "operation": "STARTING", "duration_ms": 1103}'),
  ('48', '2026-11-16 21:54:06.37+00', 'wish', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'user', '803fe2b6-5e50-4e58-909f-b7062bed014d', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('49', '2026-11-16 21:54:06.421+00', 'operation_started', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "15d4e674-b930-42d5-98f7-38c8dc5b0ba3"}'),
  ('5', '2026-11-16 21:53:51.188+00', 'login', NULL, 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'anna signed in', NULL, NULL, NULL, '{"address": "127.0.0.1"}'),
  ('50', '2026-11-16 21:54:06.786+00', 'operation_completed', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "15d4e674-b930-42d5-98f7-38c8dc5b0ba3", "operation": "STOPPING", "duration_ms": 360}'),
  ('51', '2026-11-16 21:54:06.797+00', 'operation_started', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "700f7383-7246-4f61-a653-2ff99a44b503"}'),
  ('52', '2026-11-16 21:54:08.249+00', 'operation_completed', 'd41f06b3-f395-4dab-bc48-a1129fa6805b', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "700f7383-7246-4f61-a653-2ff99a44b503", "sha256": "63da1cd7ac18f0ffdd255b669c6efd6ebdf173727cecac6479153408621a282e", "operation": "ARCHIVING", "sizeBytes": 1035, "entryCount": 13, "duration_ms": 1453, "contentBytes": 5750, "formatVersion": 1, "manifestDigest": "4eaa7a0cf2ca3e9db90e40ee48082c209b162ecdd24f5349e91e57c2f282b139", "skippedSockets": 0}'),
  ('53', '2026-11-16 21:54:08.321+00', 'created', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('54', '2026-11-16 21:54:08.34+00', 'operation_started', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "b400895b-5b68-4981-a217-b7bf6c678bf8"}'),
  ('55', '2026-11-16 21:54:08.361+00', 'operation_completed', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "b400895b-5b68-4981-a217-b7bf6c678bf8", "operation": "PROVISIONING", "duration_ms": 22}'),
  ('56', '2026-11-16 21:54:08.372+00', 'operation_started', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "d060e352-7a35-4998-8a11-89152fb82382"}'),
  ('57', '2026-11-16 21:54:09.349+00', 'operation_completed', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "d060e352-7a35-4998-8a11-89152fb82382", "operation": "STARTING", "duration_ms": 978}'),
  ('58', '2026-11-16 21:54:09.41+00', 'wish', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('59', '2026-11-16 21:54:09.543+00', 'operation_started', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "9e8c8449-5054-49b3-81fe-a4ed62ab3e74"}'),
  ('6', '2026-11-16 21:53:51.22+00', 'token_created', NULL, 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'the API token "laptop" was made', NULL, NULL, NULL, '{"address": "127.0.0.1", "token_id": "cc2da9c0-8ed0-4c95-880b-a1f2e72d75c6"}'),
  ('60', '2026-11-16 21:54:09.909+00', 'operation_completed', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "9e8c8449-5054-49b3-81fe-a4ed62ab3e74", "operation": "STOPPING", "duration_ms": 362}'),
  ('61', '2026-11-16 21:54:09.934+00', 'operation_started', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "f8a8139e-d63c-4b40-abda-99e8ad3c39ca"}'),
  ('62', '2026-11-16 21:54:11.901+00', 'operation_completed', '5d64a868-69e9-4afc-93f0-2665bc38f1a4', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "f8a8139e-d63c-4b40-abda-99e8ad3c39ca", "sha256": "a887ca35ac9bc880aef8a9453859e6be2712d3e16ed724f853f0a5d8d1e039fb", "operation": "ARCHIVING", "sizeBytes": 1043, "entryCount": 13, "duration_ms": 1972, "contentBytes": 6119, "formatVersion": 1, "manifestDigest": "f9adab2579a2373157dbd3ec781215c4b10e6a969afda6a02d5f5b3e789d4067", "skippedSockets": 0}'),
  ('63', '2026-11-16 21:54:12.015+00', 'created', 'f2296eaf-056f-4aac-822b-9f0c6084f40f', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'ARCHIVED', NULL, '{}'),
  ('64', '2026-11-16 21:54:12.046+00', 'operation_started', 'f2296eaf-056f-4aac-822b-9f0c6084f40f', 'coordinator', NULL, 'ARCHIVED is wished, PENDING is there', 'PENDING', NULL, 'CREATE_EMPTY_ARCHIVE', '{"epoch": 1, "op_id": "12a6caa6-ef4b-4772-8425-2fc3ba737300"}'),
  ('65', '2026-11-16 21:54:13.949+00', 'operation_completed', 'f2296eaf-056f-4aac-822b-9f0c6084f40f', 'coordinator', NULL, 'CREATE_EMPTY_ARCHIVE completed', 'PENDING', 'ARCHIVED', 'CREATE_EMPTY_ARCHIVE', '{"op_id": "12a6caa6-ef4b-4772-8425-2fc3ba737300", "sha256": "98f6d5400fe7b4e185cfbcb4a2eeecc7a631c44f843dd19bc1a21f0807ff2d9c", "operation": "CREATE_EMPTY_ARCHIVE", "sizeBytes": 22, "entryCount": 0, "duration_ms": 1879, "contentBytes": 0, "formatVersion": 1, "manifestDigest": "9b95d5fcd9b013b773e78485feb1e7e708000a8b671bf51a50975c118d66d322", "skippedSockets": 0}'),
  ('66', '2026-11-16 21:54:14.016+00', 'created', '982905f6-f765-4ed6-a775-8857ef31c08d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('67', '2026-11-16 21:54:14.111+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "85fa7edb-eba3-48cb-bbbe-01c376c1ca82"}'),
  ('68', '2026-11-16 21:54:14.25+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "85fa7edb-eba3-48cb-bbbe-01c376c1ca82", "operation": "PROVISIONING", "duration_ms": 142}'),
  ('69', '2026-11-16 21:54:14.276+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "86a2cede-69da-4713-8b05-a230bf2a8c47"}'),
  ('7', '2026-11-16 21:53:51.328+00', 'user_created', NULL, 'admin', '694f0bb6-6e9f-4b6c-ac6a-c23425761414', 'ben was created', NULL, NULL, NULL, '{"role": "user", "address": "127.0.0.1", "user_id": "803fe2b6-5e50-4e58-909f-b7062bed014d", "username": "ben"}'),
  ('70', '2026-11-16 21:54:15.422+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "86a2cede-69da-4713-8b05-a230bf2a8c47", "operation": "STARTING", "duration_ms": 1147}'),
  ('71', '2026-11-16 21:54:15.519+00', 'wish', '982905f6-f765-4ed6-a775-8857ef31c08d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('72', '2026-11-16 21:54:15.535+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "cc347daf-db36-41e7-91fc-403cc3480cab"}'),
  ('73', '2026-11-16 21:54:15.967+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "cc347daf-db36-41e7-91fc-403cc3480cab", "operation": "STOPPING", "duration_ms": 430}'),
  ('74', '2026-11-16 21:54:15.991+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "4256baa4-14d3-45e9-8597-3d1de93be9fa"}'),
  ('75', '2026-11-16 21:54:18.025+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "4256baa4-14d3-45e9-8597-3d1de93be9fa", "sha256": "aca4c333e4f99c1fb2701a4e92f4ed1d835f8cd8943687e1ae94537f14e76c20", "operation": "ARCHIVING", "sizeBytes": 1033, "entryCount": 13, "duration_ms": 2035, "contentBytes": 5668, "formatVersion": 1, "manifestDigest": "1b8ffb5703b03dc75e1adcae7322fa33f0e1524f9943b810802277ce15e954d5", "skippedSockets": 0}'),
  ('76', '2026-11-16 21:54:18.139+00', 'wish', '982905f6-f765-4ed6-a775-8857ef31c08d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'ARCHIVED', 'STANDBY', NULL, '{}'),
  ('77', '2026-11-16 21:54:18.185+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'STANDBY is wished, ARCHIVED is there', 'ARCHIVED', NULL, 'RESTORING', '{"epoch": 1, "op_id": "0d738aa5-5a58-4c7a-9383-f272c650e263"}'),
  ('78', '2026-11-16 21:54:19.049+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'RESTORING completed', 'ARCHIVED', 'STANDBY', 'RESTORING', '{"op_id": "0d738aa5-5a58-4c7a-9383-f272c650e263", "operation": "RESTORING", "duration_ms": 864}'),
  ('79', '2026-11-16 21:54:19.079+00', 'wish', '982905f6-f765-4ed6-a775-8857ef31c08d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'STANDBY', 'ARCHIVED', NULL, '{}'),
  ('8', '2026-11-16 21:53:51.643+00', 'login', NULL, 'user', '803fe2b6-5e50-4e58-909f-b7062bed014d', 'ben signed in', NULL, NULL, NULL, '{"address": "127.0.0.1"}'),
  ('80', '2026-11-16 21:54:19.113+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "6c2c1354-dd14-4163-9995-70bc59f66d45"}'),
  ('81', '2026-11-16 21:54:20.487+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "6c2c1354-dd14-4163-9995-70bc59f66d45", "sha256": "7200bf0a4d1de082ec5339f8270a2cf9f0dfbef78dc229b55c33ad18eea1d125", "operation": "ARCHIVING", "sizeBytes": 1034, "entryCount": 13, "duration_ms": 1368, "contentBytes": 5668, "formatVersion": 1, "manifestDigest": "1b8ffb5703b03dc75e1adcae7322fa33f0e1524f9943b810802277ce15e954d5", "skippedSockets": 0}'),
  ('82', '2026-11-16 21:54:20.54+00', 'wish', '982905f6-f765-4ed6-a775-8857ef31c08d', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'ARCHIVED', 'STANDBY', NULL, '{}'),
  ('83', '2026-11-16 21:54:20.569+00', 'operation_started', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'STANDBY is wished, ARCHIVED is there', 'ARCHIVED', NULL, 'RESTORING', '{"epoch": 1, "op_id": "2fec74a4-75be-413e-acc4-085b01849a1d"}'),
  ('84', '2026-11-16 21:54:22.292+00', 'operation_completed', '982905f6-f765-4ed6-a775-8857ef31c08d', 'coordinator', NULL, 'RESTORING completed', 'ARCHIVED', 'STANDBY', 'RESTORING', '{"op_id": "2fec74a4-75be-413e-acc4-085b01849a1d", "operation": "RESTORING", "duration_ms": 1734}'),
  ('85', '2026-11-16 21:54:22.354+00', 'created', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('86', '2026-11-16 21:54:22.405+00', 'operation_started', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "b479eae5-f581-4e38-80c5-3a1dca302fc7"}'),
  ('87', '2026-11-16 21:54:22.459+00', 'operation_completed', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'PROVISIONING completed', 'PENDING', 'STANDBY', 'PROVISIONING', '{"op_id": "b479eae5-f581-4e38-80c5-3a1dca302fc7", "operation": "PROVISIONING", "duration_ms": 57}'),
  ('88', '2026-11-16 21:54:22.499+00', 'operation_started', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'RUNNING is wished, STANDBY is there', 'STANDBY', NULL, 'STARTING', '{"epoch": 1, "op_id": "74186939-224d-4e55-b406-0b2c6b08c6d7"}'),
  ('89', '2026-11-16 21:54:23.279+00', 'operation_completed', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'STARTING completed', 'STANDBY', 'RUNNING', 'STARTING', '{"op_id": "74186939-224d-4e55-b406-0b2c6b08c6d7", "operation": "STARTING", "duration_ms": 786}'),
  ('9', '2026-11-16 21:53:51.671+00', 'token_created', NULL, 'user', '803fe2b6-5e50-4e58-909f-b7062bed014d', 'the API token "laptop" was made', NULL, NULL, NULL, '{"address": "127.0.0.1", "token_id": "75c2b53a-b460-49da-96da-4bb0afc627c7"}'),
  ('90', '2026-11-16 21:54:23.465+00', 'wish', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'asked for', 'RUNNING', 'ARCHIVED', NULL, '{}'),
  ('91', '2026-11-16 21:54:23.487+00', 'operation_started', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'ARCHIVED is wished, RUNNING is there', 'RUNNING', NULL, 'STOPPING', '{"epoch": 1, "op_id": "9c8b7fd8-ca97-4d6a-a516-1a2182a3d26e"}'),
  ('92', '2026-11-16 21:54:23.752+00', 'operation_completed', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'STOPPING completed', 'RUNNING', 'STANDBY', 'STOPPING', '{"op_id": "9c8b7fd8-ca97-4d6a-a516-1a2182a3d26e", "operation": "STOPPING", "duration_ms": 266}'),
  ('93', '2026-11-16 21:54:23.762+00', 'operation_started', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'ARCHIVED is wished, STANDBY is there', 'STANDBY', NULL, 'ARCHIVING', '{"epoch": 1, "op_id": "2b19f2ce-06af-4625-bb23-f59ca4859bb9"}'),
  ('94', '2026-11-16 21:54:24.766+00', 'operation_completed', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'ARCHIVING completed', 'STANDBY', 'ARCHIVED', 'ARCHIVING', '{"op_id": "2b19f2ce-06af-4625-bb23-f59ca4859bb9", "sha256": "b6fccf98c91414244f827a4196440297494c371494d29c7e53fa3dc5623be863", "operation": "ARCHIVING", "sizeBytes": 1024, "entryCount": 13, "duration_ms": 1002, "contentBytes": 5422, "formatVersion": 1, "manifestDigest": "97d8563dc9a578568fedae383ad31c28ed7436c4a4b4edb53838d29bfbda34a2", "skippedSockets": 0}'),
  ('95', '2026-11-16 21:54:24.813+00', 'reset', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'the home is emptied; undo is possible from the trash', 'ARCHIVED', 'PENDING', NULL, '{}'),
  ('96', '2026-11-16 21:54:24.845+00', 'operation_started', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'PENDING is wished, ARCHIVED is there', 'ARCHIVED', NULL, 'DISCARDING', '{"epoch": 1, "op_id": "99699f68-a40b-41e9-89b0-93cd1dee302e"}'),
  ('97', '2026-11-16 21:54:24.854+00', 'operation_completed', 'dcf5871c-94d0-4773-8888-88caa97dc16a', 'coordinator', NULL, 'DISCARDING completed', 'ARCHIVED', 'PENDING', 'DISCARDING', '{"op_id": "99699f68-a40b-41e9-89b0-93cd1dee302e", "operation": "DISCARDING", "duration_ms": 8}'),
  ('98', '2026-11-16 21:54:24.956+00', 'created', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', 'user', '22222fd6-2137-4927-a10a-60e258c090f3', 'created', NULL, 'RUNNING', NULL, '{}'),
  ('99', '2026-11-16 21:54:24.977+00', 'operation_started', '0caa5da2-c5ca-4095-aae6-57c5ee1594ab', 'coordinator', NULL, 'RUNNING is wished, PENDING is there', 'PENDING', NULL, 'PROVISIONING', '{"epoch": 1, "op_id": "4158804b-1a67-439a-994a-389c59c62f68"}');
INSERT INTO schema_migrations (number, name, checksum, applied_at) OVERRIDING SYSTEM VALUE VALUES
  ('1', 'accounts', '7a6c2cad455ecab70f062ba7bef0bdb7a7a92393ea94b0f8e2b2e84e9eba92cd', '2026-11-16 21:53:47.178926+00'),
  ('2', 'workspaces', '3c066756acb8147ca63bf61e6fa77fe7f06cfc53bead56ab23eb895af44bf1b6', '2026-11-16 21:53:47.251264+00'),
  ('3', 'archives-and-volumes', '6c14a31f89463c1637bd7b8417c078b94d25203086109e3a2688913e259a8b86', '2026-11-16 21:53:47.295742+00'),
  ('4', 'deployment', 'a106e7f3f24c7c1fd9e769df9508b51a87771d95ab6b283915253f9d1f402483', '2026-11-16 21:53:47.351602+00'),
  ('5', 'triggers', 'c3b338a1d0b9b45888229f190a0e48c76390ba17be664b8dfb12e327c1fcbea0', '2026-11-16 21:53:47.394569+00'),
  ('6', 'grants', '64e7bdcd0274747e04307e1a036216e6299a5d95154c381069ced7ff5e104848', '2026-11-16 21:53:47.410845+00');
SELECT setval('workspace_events_id_seq', (SELECT max(id) FROM workspace_events));

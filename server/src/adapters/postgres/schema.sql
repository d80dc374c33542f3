-- What the migrations add up to, printed from the catalogues of a migrated database. Do not edit: a test compares
-- it, and `UPDATE_SCHEMA=1 npx vitest run --project postgres server/test/postgres/schema.test.ts` writes it anew.

CREATE TABLE activity (
  workspace_id text NOT NULL,
  at bigint NOT NULL,
  CONSTRAINT activity_pkey PRIMARY KEY (workspace_id)
);
CREATE INDEX activity_by_age ON public.activity USING btree (at);
GRANT DELETE, INSERT, SELECT, UPDATE ON activity TO codehub_api;

CREATE TABLE activity_sources (
  source text NOT NULL,
  flushed_at bigint NOT NULL,
  CONSTRAINT activity_sources_pkey PRIMARY KEY (source)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON activity_sources TO codehub_api;

CREATE TABLE addresses (
  label text NOT NULL,
  workspace_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT addresses_label_check CHECK ((label ~ '^[a-z0-9-]{1,50}$'::text)),
  CONSTRAINT addresses_pkey PRIMARY KEY (label),
  CONSTRAINT addresses_workspace_id_label_key UNIQUE (workspace_id, label)
);
GRANT INSERT, SELECT ON addresses TO codehub_api;

CREATE TABLE allowed_commands (
  user_id uuid NOT NULL,
  repository text NOT NULL,
  digest text NOT NULL,
  at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT allowed_commands_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT allowed_commands_pkey PRIMARY KEY (user_id, repository, digest)
);
GRANT INSERT, SELECT ON allowed_commands TO codehub_api;
GRANT SELECT ON allowed_commands TO codehub_coordinator;

CREATE TABLE api_tokens (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  CONSTRAINT api_tokens_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60))),
  CONSTRAINT api_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX api_tokens_of_user ON public.api_tokens USING btree (user_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON api_tokens TO codehub_api;

CREATE TABLE archives (
  key text NOT NULL,
  workspace_id uuid NOT NULL,
  op_id uuid NOT NULL,
  state text NOT NULL,
  sha256 text NOT NULL,
  size_bytes bigint NOT NULL,
  content_bytes bigint NOT NULL,
  entry_count bigint NOT NULL,
  manifest_digest text NOT NULL,
  skipped_sockets bigint NOT NULL DEFAULT 0,
  format_version integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  verified_at timestamp(3) with time zone NOT NULL,
  keep_until timestamp(3) with time zone,
  CONSTRAINT archives_content_bytes_check CHECK ((content_bytes >= 0)),
  CONSTRAINT archives_entry_count_check CHECK ((entry_count >= 0)),
  CONSTRAINT archives_format_version_check CHECK ((format_version > 0)),
  CONSTRAINT archives_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT archives_size_bytes_check CHECK ((size_bytes >= 0)),
  CONSTRAINT archives_skipped_sockets_check CHECK ((skipped_sockets >= 0)),
  CONSTRAINT archives_state_check CHECK ((state = ANY (ARRAY['current'::text, 'version'::text, 'trash'::text, 'orphan'::text]))),
  CONSTRAINT archives_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  CONSTRAINT archives_pkey PRIMARY KEY (key),
  CONSTRAINT archives_op_id_key UNIQUE (op_id)
);
CREATE UNIQUE INDEX archives_current ON public.archives USING btree (workspace_id) WHERE (state = 'current'::text);
CREATE INDEX archives_in_trash ON public.archives USING btree (keep_until) WHERE (state = 'trash'::text);
CREATE INDEX archives_of_workspace ON public.archives USING btree (workspace_id, created_at DESC);
GRANT SELECT ON archives TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON archives TO codehub_coordinator;

CREATE TABLE component_health (
  name text NOT NULL,
  status text NOT NULL,
  detail text NOT NULL DEFAULT ''::text,
  since timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT component_health_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'degraded'::text, 'down'::text, 'unknown'::text]))),
  CONSTRAINT component_health_pkey PRIMARY KEY (name)
);
GRANT SELECT ON component_health TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON component_health TO codehub_coordinator;

CREATE TABLE credential_checks (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  host text NOT NULL,
  clone_url text NOT NULL,
  asked_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'asked'::text,
  code text,
  fields jsonb,
  finished_at timestamp(3) with time zone,
  CONSTRAINT credential_checks_check CHECK (((state = 'done'::text) = (code IS NOT NULL))),
  CONSTRAINT credential_checks_check1 CHECK (((state = 'done'::text) = (fields IS NOT NULL))),
  CONSTRAINT credential_checks_check2 CHECK (((state = 'done'::text) = (finished_at IS NOT NULL))),
  CONSTRAINT credential_checks_fields_check CHECK ((jsonb_typeof(fields) = 'object'::text)),
  CONSTRAINT credential_checks_kind_check CHECK ((kind = ANY (ARRAY['ssh'::text, 'https'::text]))),
  CONSTRAINT credential_checks_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'running'::text, 'done'::text]))),
  CONSTRAINT credential_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT credential_checks_pkey PRIMARY KEY (id)
);
CREATE INDEX credential_checks_by_user ON public.credential_checks USING btree (user_id, asked_at);
CREATE INDEX credential_checks_done ON public.credential_checks USING btree (finished_at) WHERE (state = 'done'::text);
CREATE UNIQUE INDEX credential_checks_open ON public.credential_checks USING btree (user_id) WHERE (state <> 'done'::text);
CREATE TRIGGER credential_checks_asked AFTER INSERT ON public.credential_checks FOR EACH ROW EXECUTE FUNCTION credential_checks_notify();
GRANT INSERT (id, user_id, kind, host, clone_url), SELECT ON credential_checks TO codehub_api;
GRANT DELETE, SELECT, UPDATE (state, code, fields, finished_at) ON credential_checks TO codehub_coordinator;

CREATE TABLE credentials (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  host text NOT NULL,
  username text,
  public_key text,
  wrapped bytea NOT NULL,
  box bytea NOT NULL,
  key_id text NOT NULL,
  changed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT credentials_check CHECK (((kind = 'ssh'::text) = (host = ''::text))),
  CONSTRAINT credentials_check1 CHECK (((kind = 'ssh'::text) = (public_key IS NOT NULL))),
  CONSTRAINT credentials_check2 CHECK (((kind = 'https'::text) = (username IS NOT NULL))),
  CONSTRAINT credentials_kind_check CHECK ((kind = ANY (ARRAY['ssh'::text, 'https'::text]))),
  CONSTRAINT credentials_key_id_fkey FOREIGN KEY (key_id) REFERENCES secret_keys(id),
  CONSTRAINT credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT credentials_pkey PRIMARY KEY (id),
  CONSTRAINT credentials_user_id_kind_host_key UNIQUE (user_id, kind, host)
);
CREATE INDEX credentials_by_key ON public.credentials USING btree (key_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON credentials TO codehub_api;
GRANT SELECT ON credentials TO codehub_coordinator;

CREATE TABLE deployment (
  singleton boolean NOT NULL DEFAULT true,
  deployment_id uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  runtime_kind text,
  engine_id text,
  store_id text,
  gc_generation bigint NOT NULL DEFAULT 0,
  gc_last_run_at timestamp(3) with time zone,
  gc_quarantined_at timestamp(3) with time zone,
  gc_quarantine_reason text,
  gc_listed bigint NOT NULL DEFAULT 0,
  gc_kept jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT deployment_gc_kept_check CHECK ((jsonb_typeof(gc_kept) = 'array'::text)),
  CONSTRAINT deployment_runtime_kind_check CHECK ((runtime_kind = ANY (ARRAY['process'::text, 'docker'::text, 'kubernetes'::text, 'simulated'::text]))),
  CONSTRAINT deployment_singleton_check CHECK (singleton),
  CONSTRAINT deployment_pkey PRIMARY KEY (singleton)
);
GRANT SELECT ON deployment TO codehub_api;
GRANT SELECT, UPDATE (runtime_kind, engine_id, store_id, gc_generation, gc_last_run_at, gc_quarantined_at, gc_quarantine_reason, gc_listed, gc_kept) ON deployment TO codehub_coordinator;

CREATE TABLE fleet_samples (
  at timestamp(3) with time zone NOT NULL,
  counts jsonb NOT NULL,
  CONSTRAINT fleet_samples_counts_check CHECK ((jsonb_typeof(counts) = 'object'::text)),
  CONSTRAINT fleet_samples_pkey PRIMARY KEY (at)
);
GRANT SELECT ON fleet_samples TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON fleet_samples TO codehub_coordinator;

CREATE TABLE gc_marks (
  key text NOT NULL,
  marked_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  urgent boolean NOT NULL DEFAULT false,
  retry_at timestamp(3) with time zone,
  CONSTRAINT gc_marks_pkey PRIMARY KEY (key)
);
CREATE INDEX gc_marks_by_turn ON public.gc_marks USING btree (urgent DESC, marked_at);
GRANT SELECT ON gc_marks TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON gc_marks TO codehub_coordinator;

CREATE TABLE gc_removals (
  at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  removed integer NOT NULL,
  CONSTRAINT gc_removals_removed_check CHECK ((removed > 0)),
  CONSTRAINT gc_removals_pkey PRIMARY KEY (at)
);
GRANT SELECT ON gc_removals TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON gc_removals TO codehub_coordinator;

CREATE TABLE handover_codes (
  code_hash bytea NOT NULL,
  state_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  user_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  port integer,
  host text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT handover_codes_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  CONSTRAINT handover_codes_port_check CHECK (((port >= 1) AND (port <= 65535))),
  CONSTRAINT handover_codes_state_hash_check CHECK ((octet_length(state_hash) = 32)),
  CONSTRAINT handover_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT handover_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT handover_codes_pkey PRIMARY KEY (code_hash)
);
CREATE INDEX handover_codes_by_expiry ON public.handover_codes USING btree (expires_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON handover_codes TO codehub_api;

CREATE TABLE host_ports (
  port integer NOT NULL,
  workspace_id uuid NOT NULL,
  attempt uuid NOT NULL,
  reserved_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT host_ports_port_check CHECK (((port >= 1) AND (port <= 65535))),
  CONSTRAINT host_ports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  CONSTRAINT host_ports_pkey PRIMARY KEY (port)
);
CREATE INDEX host_ports_of_workspace ON public.host_ports USING btree (workspace_id);
GRANT SELECT ON host_ports TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON host_ports TO codehub_coordinator;

CREATE TABLE leader (
  singleton boolean NOT NULL DEFAULT true,
  epoch bigint NOT NULL,
  holder text,
  acquired_at timestamp(3) with time zone,
  process jsonb,
  process_epoch bigint,
  begun_epoch bigint,
  ended_epoch bigint,
  CONSTRAINT leader_process_check CHECK ((jsonb_typeof(process) = 'object'::text)),
  CONSTRAINT leader_singleton_check CHECK (singleton),
  CONSTRAINT leader_pkey PRIMARY KEY (singleton)
);
GRANT SELECT ON leader TO codehub_api;
GRANT SELECT, UPDATE ON leader TO codehub_coordinator;

CREATE TABLE login_throttle (
  scope text NOT NULL,
  subject text NOT NULL,
  failures integer NOT NULL,
  first_failure_at timestamp(3) with time zone NOT NULL,
  last_failure_at timestamp(3) with time zone NOT NULL,
  blocked_until timestamp(3) with time zone,
  CONSTRAINT login_throttle_failures_check CHECK ((failures >= 0)),
  CONSTRAINT login_throttle_scope_check CHECK ((scope = ANY (ARRAY['account'::text, 'address'::text]))),
  CONSTRAINT login_throttle_pkey PRIMARY KEY (scope, subject)
);
CREATE INDEX login_throttle_by_age ON public.login_throttle USING btree (last_failure_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON login_throttle TO codehub_api;

CREATE TABLE notices (
  channel text NOT NULL,
  key text NOT NULL,
  id uuid NOT NULL,
  code text NOT NULL,
  fields jsonb NOT NULL,
  path text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  told_at timestamp with time zone,
  gone_at timestamp with time zone,
  tries integer NOT NULL,
  next_try_at timestamp with time zone NOT NULL,
  CONSTRAINT notices_pkey PRIMARY KEY (channel, key)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON notices TO codehub_coordinator;

CREATE TABLE port_shares (
  workspace_id uuid NOT NULL,
  port integer NOT NULL,
  audience text NOT NULL,
  expires_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT port_shares_audience_check CHECK ((audience = ANY (ARRAY['users'::text, 'public'::text]))),
  CONSTRAINT port_shares_port_check CHECK (((port >= 1) AND (port <= 65535))),
  CONSTRAINT port_shares_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT port_shares_pkey PRIMARY KEY (workspace_id, port)
);
CREATE INDEX port_shares_expired ON public.port_shares USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE TRIGGER port_shares_changed AFTER INSERT OR DELETE ON public.port_shares FOR EACH ROW EXECUTE FUNCTION port_shares_notify();
GRANT DELETE, INSERT, SELECT ON port_shares TO codehub_api;

CREATE TABLE progress (
  workspace_id uuid NOT NULL,
  op_id uuid NOT NULL,
  stage text NOT NULL,
  done_bytes bigint NOT NULL,
  total_bytes bigint,
  done_files bigint NOT NULL,
  bytes_per_second double precision,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  waiting jsonb,
  CONSTRAINT progress_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT progress_pkey PRIMARY KEY (workspace_id)
);
CREATE TRIGGER progress_changed AFTER INSERT OR UPDATE ON public.progress FOR EACH ROW EXECUTE FUNCTION progress_notify();
GRANT SELECT ON progress TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON progress TO codehub_coordinator;

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  usable_from integer,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);
GRANT SELECT ON schema_migrations TO codehub_api;
GRANT SELECT ON schema_migrations TO codehub_coordinator;

CREATE TABLE secret_keys (
  id text NOT NULL,
  check_value text NOT NULL,
  state text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT secret_keys_check_value_check CHECK ((check_value ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT secret_keys_id_check CHECK ((id ~ '^[a-z0-9-]{1,20}$'::text)),
  CONSTRAINT secret_keys_state_check CHECK ((state = ANY (ARRAY['sealing'::text, 'opening'::text]))),
  CONSTRAINT secret_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX secret_keys_one_seals ON public.secret_keys USING btree (state) WHERE (state = 'sealing'::text);
GRANT DELETE, INSERT, SELECT, UPDATE ON secret_keys TO codehub_api;
GRANT SELECT ON secret_keys TO codehub_coordinator;

CREATE TABLE sessions (
  token_hash bytea NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  user_id uuid NOT NULL,
  parent_id uuid,
  workspace_id uuid,
  port integer,
  address text,
  user_agent text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT sessions_check CHECK (((kind = 'workspace'::text) = (workspace_id IS NOT NULL))),
  CONSTRAINT sessions_check1 CHECK (((kind = 'workspace'::text) = (parent_id IS NOT NULL))),
  CONSTRAINT sessions_check2 CHECK (((port IS NULL) OR (kind = 'workspace'::text))),
  CONSTRAINT sessions_kind_check CHECK ((kind = ANY (ARRAY['dashboard'::text, 'workspace'::text]))),
  CONSTRAINT sessions_port_check CHECK (((port >= 1) AND (port <= 65535))),
  CONSTRAINT sessions_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT sessions_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sessions_id_key UNIQUE (id)
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_parent ON public.sessions USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON sessions TO codehub_api;

CREATE TABLE setup_logs (
  workspace_id uuid NOT NULL,
  version bigint NOT NULL,
  log text NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  plan jsonb,
  CONSTRAINT setup_logs_plan_check CHECK ((jsonb_typeof(plan) = 'object'::text)),
  CONSTRAINT setup_logs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT setup_logs_pkey PRIMARY KEY (workspace_id)
);
GRANT SELECT ON setup_logs TO codehub_api;
GRANT INSERT, SELECT, UPDATE ON setup_logs TO codehub_coordinator;

CREATE TABLE usage_hours (
  workspace_id uuid NOT NULL,
  at timestamp(0) with time zone NOT NULL,
  minutes smallint NOT NULL,
  cpu_cores real,
  memory_bytes bigint,
  home_bytes bigint,
  disk_used_bytes bigint,
  disk_total_bytes bigint,
  disk_shared boolean,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (workspace_id, at)
);
CREATE INDEX usage_hours_by_age ON public.usage_hours USING btree (at);
GRANT SELECT ON usage_hours TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON usage_hours TO codehub_coordinator;

CREATE TABLE usage_minutes (
  workspace_id uuid NOT NULL,
  at timestamp(0) with time zone NOT NULL,
  cpu_cores real,
  memory_bytes bigint,
  home_bytes bigint,
  disk_used_bytes bigint,
  disk_total_bytes bigint,
  disk_shared boolean,
  missing jsonb,
  CONSTRAINT usage_minutes_missing_check CHECK ((jsonb_typeof(missing) = 'object'::text)),
  CONSTRAINT usage_minutes_pkey PRIMARY KEY (workspace_id, at)
);
CREATE INDEX usage_minutes_by_age ON public.usage_minutes USING btree (at);
GRANT SELECT ON usage_minutes TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON usage_minutes TO codehub_coordinator;

CREATE TABLE user_settings (
  user_id uuid NOT NULL,
  git_name text,
  git_email text,
  dotfiles_address text,
  dotfiles_command text,
  changed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT user_settings_check CHECK (((dotfiles_command IS NULL) OR (dotfiles_address IS NOT NULL))),
  CONSTRAINT user_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT user_settings_pkey PRIMARY KEY (user_id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON user_settings TO codehub_api;
GRANT SELECT ON user_settings TO codehub_coordinator;

CREATE TABLE users (
  id uuid NOT NULL,
  username text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  must_change_password boolean NOT NULL DEFAULT false,
  disabled_at timestamp(3) with time zone,
  last_login_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  max_running integer,
  CONSTRAINT users_deleted_are_disabled CHECK (((deleted_at IS NULL) OR (disabled_at IS NOT NULL))),
  CONSTRAINT users_max_running_check CHECK ((max_running >= 0)),
  CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'user'::text]))),
  CONSTRAINT users_username_check CHECK ((username ~ '^[a-z0-9][a-z0-9._-]{1,39}$'::text)),
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_username_key UNIQUE (username)
);
CREATE TRIGGER users_disabled_unshared AFTER UPDATE ON public.users FOR EACH ROW WHEN (((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION port_shares_close();
GRANT DELETE, INSERT, SELECT, UPDATE ON users TO codehub_api;

CREATE TABLE variables (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  workspace_id uuid,
  name text NOT NULL,
  is_secret boolean NOT NULL,
  repositories text[],
  bytes integer NOT NULL,
  wrapped bytea NOT NULL,
  box bytea NOT NULL,
  key_id text NOT NULL,
  changed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT variables_bytes_check CHECK ((bytes >= 0)),
  CONSTRAINT variables_check CHECK (((workspace_id IS NULL) OR (repositories IS NULL))),
  CONSTRAINT variables_name_check CHECK ((name ~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$'::text)),
  CONSTRAINT variables_key_id_fkey FOREIGN KEY (key_id) REFERENCES secret_keys(id),
  CONSTRAINT variables_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT variables_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT variables_pkey PRIMARY KEY (id)
);
CREATE INDEX variables_by_key ON public.variables USING btree (key_id);
CREATE INDEX variables_by_owner ON public.variables USING btree (user_id);
CREATE UNIQUE INDEX variables_of_user ON public.variables USING btree (user_id, name) WHERE (workspace_id IS NULL);
CREATE UNIQUE INDEX variables_of_workspace ON public.variables USING btree (workspace_id, name) WHERE (workspace_id IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON variables TO codehub_api;
GRANT SELECT ON variables TO codehub_coordinator;

CREATE TABLE volumes (
  name text NOT NULL,
  workspace_id uuid NOT NULL,
  attempt uuid NOT NULL,
  state text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  retired_at timestamp(3) with time zone,
  CONSTRAINT volumes_check CHECK (((state <> 'retired'::text) OR (retired_at IS NOT NULL))),
  CONSTRAINT volumes_state_check CHECK ((state = ANY (ARRAY['building'::text, 'current'::text, 'retired'::text, 'gone'::text]))),
  CONSTRAINT volumes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  CONSTRAINT volumes_pkey PRIMARY KEY (name),
  CONSTRAINT volumes_attempt_key UNIQUE (attempt)
);
CREATE UNIQUE INDEX volumes_current ON public.volumes USING btree (workspace_id) WHERE (state = 'current'::text);
CREATE INDEX volumes_of_workspace ON public.volumes USING btree (workspace_id);
CREATE INDEX volumes_retired ON public.volumes USING btree (retired_at) WHERE (state = 'retired'::text);
GRANT SELECT ON volumes TO codehub_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON volumes TO codehub_coordinator;

CREATE TABLE workspace_events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL,
  workspace_id uuid,
  actor_kind text NOT NULL,
  actor_id uuid,
  summary text NOT NULL,
  from_phase text,
  to_phase text,
  operation text,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT workspace_events_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'admin'::text, 'coordinator'::text, 'ttl'::text, 'proxy'::text, 'system'::text]))),
  CONSTRAINT workspace_events_details_check CHECK ((jsonb_typeof(details) = 'object'::text)),
  CONSTRAINT workspace_events_from_phase_check CHECK ((from_phase = ANY (ARRAY['PENDING'::text, 'ARCHIVED'::text, 'STANDBY'::text, 'RUNNING'::text, 'ERROR'::text, 'DELETING'::text, 'DELETED'::text]))),
  CONSTRAINT workspace_events_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{1,59}$'::text)),
  CONSTRAINT workspace_events_operation_check CHECK ((operation = ANY (ARRAY['PROVISIONING'::text, 'CREATE_EMPTY_ARCHIVE'::text, 'RESTORING'::text, 'PREPARING'::text, 'STARTING'::text, 'STOPPING'::text, 'ARCHIVING'::text, 'DISCARDING'::text, 'DELETING'::text]))),
  CONSTRAINT workspace_events_to_phase_check CHECK ((to_phase = ANY (ARRAY['PENDING'::text, 'ARCHIVED'::text, 'STANDBY'::text, 'RUNNING'::text, 'ERROR'::text, 'DELETING'::text, 'DELETED'::text]))),
  CONSTRAINT workspace_events_pkey PRIMARY KEY (id)
);
CREATE INDEX workspace_events_of_actor ON public.workspace_events USING btree (actor_id, id DESC) WHERE (actor_id IS NOT NULL);
CREATE INDEX workspace_events_of_kind ON public.workspace_events USING btree (kind, id DESC);
CREATE INDEX workspace_events_of_operations ON public.workspace_events USING btree (at) WHERE (operation IS NOT NULL);
CREATE INDEX workspace_events_of_workspace ON public.workspace_events USING btree (workspace_id, id DESC) WHERE (workspace_id IS NOT NULL);
GRANT INSERT, SELECT ON workspace_events TO codehub_api;
GRANT INSERT, SELECT ON workspace_events TO codehub_coordinator;

CREATE TABLE workspaces (
  id uuid NOT NULL,
  owner_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  name text NOT NULL,
  description text,
  memo text,
  image_ref text NOT NULL,
  desired_state text NOT NULL,
  desired_version bigint NOT NULL DEFAULT 1,
  deleted_at timestamp(3) with time zone,
  purge boolean NOT NULL DEFAULT false,
  request jsonb,
  standby_ttl_seconds integer,
  archive_ttl_seconds integer,
  keep_awake_until timestamp(3) with time zone,
  last_access_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  conditions jsonb NOT NULL DEFAULT '{}'::jsonb,
  phase text NOT NULL DEFAULT 'PENDING'::text,
  phase_changed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  observed_at timestamp(3) with time zone,
  operation text NOT NULL DEFAULT 'NONE'::text,
  op_started_at timestamp(3) with time zone,
  op_id uuid,
  op_epoch bigint,
  request_done bigint NOT NULL DEFAULT 0,
  expired_at timestamp(3) with time zone,
  home_volume text,
  archive_key text,
  archive_op_id uuid,
  endpoint jsonb,
  home_ctx jsonb NOT NULL DEFAULT '{}'::jsonb,
  error_reason text,
  error_count integer NOT NULL DEFAULT 0,
  error_info jsonb,
  reconcile_failure_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp(3) with time zone,
  row_version bigint NOT NULL DEFAULT 1,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  settled boolean NOT NULL GENERATED ALWAYS AS (((operation = 'NONE'::text) AND (COALESCE(((request ->> 'version'::text))::bigint, (0)::bigint) <= request_done) AND
CASE
    WHEN (deleted_at IS NOT NULL) THEN ((phase = 'DELETED'::text) AND (NOT ((purge OR (expired_at IS NOT NULL)) AND (archive_key IS NOT NULL))))
    ELSE ((phase = 'ERROR'::text) OR (phase = desired_state))
END)) STORED,
  holds_slot boolean NOT NULL GENERATED ALWAYS AS ((COALESCE((((conditions -> 'infra.container_present'::text) ->> 'status'::text))::boolean, false) OR (operation = 'STARTING'::text) OR ((desired_state = 'RUNNING'::text) AND (deleted_at IS NULL)))) STORED,
  source jsonb,
  setup_wanted bigint NOT NULL DEFAULT 0,
  setup_skipped bigint NOT NULL DEFAULT 0,
  keys_allowed boolean NOT NULL DEFAULT true,
  awake_asked_from timestamp(3) with time zone,
  awake_asked_seconds integer NOT NULL DEFAULT 0,
  address text,
  CONSTRAINT workspaces_archive_ttl_seconds_check CHECK (((archive_ttl_seconds = 0) OR (archive_ttl_seconds >= 60))),
  CONSTRAINT workspaces_awake_asked_seconds_check CHECK ((awake_asked_seconds >= 0)),
  CONSTRAINT workspaces_check CHECK (((desired_state = 'DELETED'::text) = (deleted_at IS NOT NULL))),
  CONSTRAINT workspaces_check1 CHECK (((deleted_at IS NOT NULL) OR (NOT purge))),
  CONSTRAINT workspaces_check2 CHECK (((deleted_at IS NOT NULL) OR (expired_at IS NULL))),
  CONSTRAINT workspaces_check3 CHECK (((operation = 'NONE'::text) OR ((op_id IS NOT NULL) AND (op_epoch IS NOT NULL) AND (op_started_at IS NOT NULL)))),
  CONSTRAINT workspaces_conditions_check CHECK ((jsonb_typeof(conditions) = 'object'::text)),
  CONSTRAINT workspaces_desired_state_check CHECK ((desired_state = ANY (ARRAY['PENDING'::text, 'ARCHIVED'::text, 'STANDBY'::text, 'RUNNING'::text, 'DELETED'::text]))),
  CONSTRAINT workspaces_desired_version_check CHECK ((desired_version > 0)),
  CONSTRAINT workspaces_endpoint_check CHECK ((jsonb_typeof(endpoint) = 'object'::text)),
  CONSTRAINT workspaces_error_count_check CHECK ((error_count >= 0)),
  CONSTRAINT workspaces_error_info_check CHECK ((jsonb_typeof(error_info) = 'object'::text)),
  CONSTRAINT workspaces_error_reason_check CHECK ((error_reason = ANY (ARRAY['Timeout'::text, 'RetryExceeded'::text, 'ActionFailed'::text, 'DataLost'::text, 'Unreachable'::text, 'ImagePullFailed'::text, 'ContainerWithoutVolume'::text, 'ArchiveCorrupted'::text, 'ArchiveAccessError'::text, 'DiskFull'::text]))),
  CONSTRAINT workspaces_home_ctx_check CHECK ((jsonb_typeof(home_ctx) = 'object'::text)),
  CONSTRAINT workspaces_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT workspaces_operation_check CHECK ((operation = ANY (ARRAY['NONE'::text, 'PROVISIONING'::text, 'CREATE_EMPTY_ARCHIVE'::text, 'RESTORING'::text, 'PREPARING'::text, 'STARTING'::text, 'STOPPING'::text, 'ARCHIVING'::text, 'DISCARDING'::text, 'DELETING'::text]))),
  CONSTRAINT workspaces_phase_check CHECK ((phase = ANY (ARRAY['PENDING'::text, 'ARCHIVED'::text, 'STANDBY'::text, 'RUNNING'::text, 'ERROR'::text, 'DELETING'::text, 'DELETED'::text]))),
  CONSTRAINT workspaces_reconcile_failure_count_check CHECK ((reconcile_failure_count >= 0)),
  CONSTRAINT workspaces_request_check CHECK (((request IS NULL) OR ((jsonb_typeof((request -> 'version'::text)) = 'number'::text) AND ((request -> 'action'::text) ? 'kind'::text)))),
  CONSTRAINT workspaces_source_check CHECK ((jsonb_typeof(source) = 'object'::text)),
  CONSTRAINT workspaces_standby_ttl_seconds_check CHECK (((standby_ttl_seconds = 0) OR (standby_ttl_seconds >= 60))),
  CONSTRAINT workspaces_address_fkey FOREIGN KEY (id, address) REFERENCES addresses(workspace_id, label),
  CONSTRAINT workspaces_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  CONSTRAINT workspaces_pkey PRIMARY KEY (id)
);
CREATE INDEX workspaces_archive_check ON public.workspaces USING btree (COALESCE(((conditions -> 'storage.archive_ready'::text) ->> 'checked_at'::text), ''::text) COLLATE "C") WHERE ((archive_key IS NOT NULL) AND (home_volume IS NULL) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX workspaces_archive_key ON public.workspaces USING btree (archive_key) WHERE (archive_key IS NOT NULL);
CREATE INDEX workspaces_by_age ON public.workspaces USING btree (created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX workspaces_by_phase ON public.workspaces USING btree (phase);
CREATE INDEX workspaces_expiring ON public.workspaces USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (expired_at IS NULL));
CREATE UNIQUE INDEX workspaces_home_volume ON public.workspaces USING btree (home_volume) WHERE (home_volume IS NOT NULL);
CREATE INDEX workspaces_idle ON public.workspaces USING btree (phase, phase_changed_at) WHERE ((deleted_at IS NULL) AND (operation = 'NONE'::text) AND (phase = desired_state) AND (phase = ANY (ARRAY['RUNNING'::text, 'STANDBY'::text])));
CREATE INDEX workspaces_of_owner ON public.workspaces USING btree (owner_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX workspaces_of_source ON public.workspaces USING btree (owner_id, ((source ->> 'key'::text))) WHERE ((source IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX workspaces_slots ON public.workspaces USING btree (owner_id) WHERE holds_slot;
CREATE INDEX workspaces_trash_of_owner ON public.workspaces USING btree (owner_id, created_at DESC, id DESC) WHERE (deleted_at IS NOT NULL);
CREATE INDEX workspaces_unsettled ON public.workspaces USING btree (id) WHERE (NOT settled);
CREATE INDEX workspaces_with_endpoint ON public.workspaces USING btree (id) WHERE (endpoint IS NOT NULL);
CREATE TRIGGER workspaces_changed_sse AFTER UPDATE ON public.workspaces FOR EACH ROW WHEN ((((((((((((((((((((((((((((old.name IS DISTINCT FROM new.name) OR (old.description IS DISTINCT FROM new.description)) OR (old.memo IS DISTINCT FROM new.memo)) OR (old.image_ref IS DISTINCT FROM new.image_ref)) OR (old.desired_state IS DISTINCT FROM new.desired_state)) OR (old.desired_version IS DISTINCT FROM new.desired_version)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)) OR (old.purge IS DISTINCT FROM new.purge)) OR (old.request IS DISTINCT FROM new.request)) OR (old.standby_ttl_seconds IS DISTINCT FROM new.standby_ttl_seconds)) OR (old.archive_ttl_seconds IS DISTINCT FROM new.archive_ttl_seconds)) OR (old.keep_awake_until IS DISTINCT FROM new.keep_awake_until)) OR (old.last_access_at IS DISTINCT FROM new.last_access_at)) OR ((old.conditions #- '{storage.archive_ready,checked_at}'::text[]) IS DISTINCT FROM (new.conditions #- '{storage.archive_ready,checked_at}'::text[]))) OR (old.phase IS DISTINCT FROM new.phase)) OR (old.operation IS DISTINCT FROM new.operation)) OR (old.op_id IS DISTINCT FROM new.op_id)) OR (old.request_done IS DISTINCT FROM new.request_done)) OR (old.expired_at IS DISTINCT FROM new.expired_at)) OR (old.home_volume IS DISTINCT FROM new.home_volume)) OR (old.archive_key IS DISTINCT FROM new.archive_key)) OR (old.endpoint IS DISTINCT FROM new.endpoint)) OR (old.home_ctx IS DISTINCT FROM new.home_ctx)) OR (old.error_reason IS DISTINCT FROM new.error_reason)) OR (old.error_count IS DISTINCT FROM new.error_count)) OR (old.error_info IS DISTINCT FROM new.error_info)) OR (old.next_attempt_at IS DISTINCT FROM new.next_attempt_at))) EXECUTE FUNCTION workspaces_notify('ws_sse');
CREATE TRIGGER workspaces_count_change BEFORE UPDATE ON public.workspaces FOR EACH ROW EXECUTE FUNCTION workspaces_count_change();
CREATE TRIGGER workspaces_created_sse AFTER INSERT ON public.workspaces FOR EACH ROW EXECUTE FUNCTION workspaces_notify('ws_sse');
CREATE TRIGGER workspaces_created_wake AFTER INSERT ON public.workspaces FOR EACH ROW EXECUTE FUNCTION workspaces_notify('ws_wake');
CREATE TRIGGER workspaces_deleted AFTER UPDATE ON public.workspaces FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION workspaces_notify('ws_deleted');
CREATE TRIGGER workspaces_moved_sse AFTER UPDATE ON public.workspaces FOR EACH ROW WHEN ((old.address IS DISTINCT FROM new.address)) EXECUTE FUNCTION workspaces_notify('ws_sse');
CREATE TRIGGER workspaces_unshared AFTER UPDATE ON public.workspaces FOR EACH ROW WHEN ((((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL)) OR (old.owner_id IS DISTINCT FROM new.owner_id))) EXECUTE FUNCTION port_shares_close();
CREATE TRIGGER workspaces_wished_wake AFTER UPDATE ON public.workspaces FOR EACH ROW WHEN ((((((old.desired_state IS DISTINCT FROM new.desired_state) OR (old.desired_version IS DISTINCT FROM new.desired_version)) OR (old.request IS DISTINCT FROM new.request)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)) OR (old.purge IS DISTINCT FROM new.purge))) EXECUTE FUNCTION workspaces_notify('ws_wake');
GRANT INSERT (id, owner_id, name, description, memo, image_ref, desired_state, desired_version, standby_ttl_seconds, archive_ttl_seconds, keep_awake_until, last_access_at, source, setup_wanted, keys_allowed, address), SELECT, UPDATE (owner_id, name, description, memo, image_ref, desired_state, desired_version, deleted_at, purge, request, standby_ttl_seconds, archive_ttl_seconds, keep_awake_until, last_access_at, source, setup_wanted, setup_skipped, keys_allowed, awake_asked_from, awake_asked_seconds, address) ON workspaces TO codehub_api;
GRANT SELECT, UPDATE (conditions, phase, phase_changed_at, observed_at, operation, op_started_at, op_id, op_epoch, request_done, expired_at, home_volume, archive_key, archive_op_id, endpoint, home_ctx, error_reason, error_count, error_info, reconcile_failure_count, next_attempt_at) ON workspaces TO codehub_coordinator;

CREATE OR REPLACE FUNCTION public.credential_checks_notify()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('check_asked', json_build_object('id', NEW.id, 'user_id', NEW.user_id, 'version', 0)::text);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.port_shares_close()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'workspaces' THEN
    DELETE FROM port_shares WHERE workspace_id = NEW.id;
  ELSE
    DELETE FROM port_shares s USING workspaces w WHERE w.id = s.workspace_id AND w.owner_id = NEW.id;
  END IF;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.port_shares_notify()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('port_share', json_build_object('id', coalesce(NEW.workspace_id, OLD.workspace_id), 'user_id', '', 'version', 0)::text);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.progress_notify()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('ws_progress',
    json_build_object('id', w.id, 'user_id', w.owner_id, 'version', w.row_version)::text)
  FROM workspaces w WHERE w.id = NEW.workspace_id;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.workspaces_count_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.row_version := OLD.row_version + 1;
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END
$function$;

CREATE OR REPLACE FUNCTION public.workspaces_notify()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify(TG_ARGV[0],
    json_build_object('id', NEW.id, 'user_id', NEW.owner_id, 'version', NEW.row_version)::text);
  RETURN NULL;
END
$function$;

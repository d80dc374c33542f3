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

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

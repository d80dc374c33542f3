-- What running workspaces use: by the minute for a day, by the hour after that. See docs/adr/0065.
-- Usable from schema 10 on.

-- Without a reference to workspaces: to check it, every sample would lock its workspace's row. What is left of a workspace
-- that is gone for good is taken away when samples are thinned.
CREATE TABLE usage_minutes (
  workspace_id uuid NOT NULL,
  at timestamptz(0) NOT NULL,
  cpu_cores real,
  memory_bytes bigint,
  home_bytes bigint,
  disk_used_bytes bigint,
  disk_total_bytes bigint,
  -- Of the disk: other homes are on it.
  disk_shared boolean,
  -- Why a figure is not there.
  missing jsonb CHECK (jsonb_typeof(missing) = 'object'),
  PRIMARY KEY (workspace_id, at)
);
CREATE INDEX usage_minutes_by_age ON usage_minutes (at);

-- The mean of the processor, the peak of the memory, and the last of what is a state: of so many minutes.
CREATE TABLE usage_hours (
  workspace_id uuid NOT NULL,
  at timestamptz(0) NOT NULL,
  minutes smallint NOT NULL,
  cpu_cores real,
  memory_bytes bigint,
  home_bytes bigint,
  disk_used_bytes bigint,
  disk_total_bytes bigint,
  disk_shared boolean,
  PRIMARY KEY (workspace_id, at)
);
CREATE INDEX usage_hours_by_age ON usage_hours (at);

GRANT SELECT ON usage_minutes, usage_hours TO codehub_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_minutes, usage_hours TO codehub_coordinator;

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

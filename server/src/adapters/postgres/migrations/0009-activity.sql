-- Where proxies leave the times at which people last used their workspaces, in a deployment of several processes without
-- Redis. See docs/adr/0034.

-- Milliseconds since 1970, as the proxies tell them. No reference to workspaces: what is late is late for one that is gone, too.
CREATE TABLE activity (
  workspace_id text PRIMARY KEY,
  at bigint NOT NULL
);
CREATE INDEX activity_by_age ON activity (at);

-- When each proxy last handed over what it had seen.
CREATE TABLE activity_sources (
  source text PRIMARY KEY,
  flushed_at bigint NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON activity, activity_sources TO codehub_api;

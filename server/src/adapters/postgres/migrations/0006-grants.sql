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

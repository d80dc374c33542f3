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

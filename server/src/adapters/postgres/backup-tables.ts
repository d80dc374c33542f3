/**
 * What a backup holds: every table is in exactly one of these lists, which a test compares with the schema. In the order in
 * which one refers to another.
 */
export const SAVED_TABLES = [
  "users",
  "addresses",
  "workspaces",
  "archives",
  "volumes",
  "host_ports",
  "deployment",
  "leader",
  "secret_keys",
  "credentials",
  "variables",
  "user_settings",
  "setup_logs",
  "allowed_commands",
  "fleet_samples",
  "usage_hours",
  "gc_removals",
  "workspace_events",
] as const;

/** With what these hold somebody may be let in: they go into a file of their own, and only when asked for. */
export const KEY_TABLES = ["sessions", "api_tokens"] as const;

/** True for a moment only, or found again by itself. */
export const UNSAVED_TABLES = [
  "activity",
  "activity_sources",
  "component_health",
  "credential_checks",
  "gc_marks",
  "handover_codes",
  "login_throttle",
  "notices",
  // A backup that is restored opens nothing to anybody.
  "port_shares",
  "progress",
  "schema_migrations",
  "usage_minutes",
] as const;

export type SavedTable = (typeof SAVED_TABLES)[number] | (typeof KEY_TABLES)[number];

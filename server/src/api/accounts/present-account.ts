import {
  type AuditEvent,
  type Deployment,
  datedVoice,
  eventText,
  type HistoryEvent,
  type Session,
  type Token,
  type User,
  type UserOverview,
  type UserSession,
} from "@codehub/contract";
import type { ApiSettings } from "#api/deps.ts";
import type { Principal } from "#api/http/handler.ts";
import { isoOrNull } from "#api/workspaces/present-workspace.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { Account, AccountOverview, ListedSession, TokenRecord } from "#ports/accounts.ts";
import type { AuditEventView, EventView } from "#ports/views.ts";

export const presentUser = (account: Account): User => ({
  id: account.id,
  username: account.username,
  role: account.role,
  disabled_at: isoOrNull(account.disabledAt),
  created_at: isoTime(account.createdAt),
  last_login_at: isoOrNull(account.lastLoginAt),
  must_change_password: account.mustChangePassword,
  max_running: account.maxRunning,
});

export const presentOverview = (account: AccountOverview): UserOverview => ({
  ...presentUser(account),
  last_seen_at: isoOrNull(account.lastSeenAt),
  workspaces: account.workspaces,
  running: account.running,
  in_trash: account.inTrash,
  home_bytes: account.homeBytes,
  archive_bytes: account.archiveBytes,
  sessions: account.sessions,
  tokens: account.tokens,
  deleted_at: isoOrNull(account.deletedAt),
});

export const presentListedSession = (session: ListedSession): UserSession => ({
  id: session.id,
  created_at: isoTime(session.createdAt),
  expires_at: isoTime(session.expiresAt),
  address: session.address,
  user_agent: session.userAgent,
});

export const presentToken = (token: TokenRecord): Token => ({
  id: token.id,
  name: token.name,
  created_at: isoTime(token.createdAt),
  last_used_at: isoOrNull(token.lastUsedAt),
  expires_at: isoOrNull(token.expiresAt),
});

export const presentDeployment = (settings: ApiSettings): Deployment => ({
  version: settings.version,
  runtime: settings.runtimeKind,
  trusted_single_user: settings.trustedSingleUser,
  lacks: [...settings.lacks],
  workspace_base_url: settings.workspaceBaseUrl,
  unsafe_single_origin: settings.unsafeSingleOrigin,
  new_address: settings.newAddress,
  default_image: settings.defaultImage,
  images: [...settings.images],
  limits: {
    max_running_per_user: settings.limits.maxRunningPerUser,
    max_running_global: settings.limits.maxRunningGlobal,
    default_standby_ttl_seconds: settings.ttl.standbyTtlSeconds,
    default_archive_ttl_seconds: settings.ttl.archiveTtlSeconds,
    trash_retention_seconds: Math.round(settings.trashRetentionMs / 1000),
    home_sizes:
      settings.homeSizes === null
        ? null
        : { new_bytes: settings.homeSizes.newBytes, owner_max_bytes: settings.homeSizes.ownerMaxBytes },
  },
});

/** With the limits of whoever asks. */
export function presentSession(principal: Principal, settings: ApiSettings, now: Ms): Session {
  const { account, expiresAt, via } = principal;
  const deployment = presentDeployment(settings);
  const most = account.maxRunning ?? deployment.limits.max_running_per_user;
  return {
    user: presentUser(account),
    expires_at: isoOrNull(expiresAt),
    via,
    deployment: { ...deployment, limits: { ...deployment.limits, max_running_per_user: most } },
    server_time: isoTime(now),
  };
}

/**
 * A line of history, with its sentence in today's words; what is only known as a sentence stays as it was written. Where a request came
 * from is for administrators.
 */
export function presentEvent(event: EventView): HistoryEvent {
  const { address, ...details } = event.details;
  const meaning = {
    kind: event.kind,
    summary: event.summary,
    from_phase: event.fromPhase,
    to_phase: event.toPhase,
    operation: event.operation,
    details,
  };
  return {
    id: event.id,
    at: isoTime(event.at),
    workspace_id: event.workspaceId,
    actor: { kind: event.actorKind, user_id: event.actorId, username: event.actorName },
    ...meaning,
    summary: "code" in meaning.details ? eventText(meaning, datedVoice) : event.summary,
  };
}

export function presentAudit(event: AuditEventView): AuditEvent {
  const { address = null } = event.details;
  return {
    ...presentEvent(event),
    address: address === null ? null : String(address),
    workspace_name: event.workspaceName,
  };
}

import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { insertEvent } from "#adapters/postgres/queries/records/insert-event.ts";
import { findWorkspaceSession } from "#adapters/postgres/queries/sessions/find-workspace-session.ts";
import { insertWorkspaceSession } from "#adapters/postgres/queries/sessions/insert-workspace-session.ts";
import { issueHandover } from "#adapters/postgres/queries/sessions/issue-handover.ts";
import { useHandover } from "#adapters/postgres/queries/sessions/use-handover.ts";
import { count, first } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { HandoverStore, NewHandover, WorkspaceSession } from "#ports/accounts.ts";
import { written } from "./history.ts";

export class PostgresHandoverStore implements HandoverStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async issue(handover: NewHandover): Promise<boolean> {
    const { codeHash, stateHash, sessionId, userId, workspaceId, port, host, lifetimeMs } = handover;
    const params = { codeHash, stateHash, sessionId, userId, workspaceId, port, host, lifetimeMs };
    return (await count(this.#pool, issueHandover, params)) === 1;
  }

  /** The code is gone by its own commit before anything is compared: a wrong guess uses it up as well. */
  async redeem(
    codeHash: Uint8Array,
    expected: Pick<NewHandover, "stateHash" | "port" | "host">,
    session: { readonly tokenHash: Uint8Array; readonly lifetimeMs: number },
  ): Promise<WorkspaceSession | null> {
    const code = await first(this.#pool, useHandover, { codeHash });
    if (
      code === null ||
      !code.fresh ||
      code.port !== expected.port ||
      code.host !== expected.host ||
      !sameHash(code.state_hash, expected.stateHash)
    ) {
      if (code !== null) await this.#note(code, "open_refused");
      return null;
    }
    const { port } = expected;
    const params = { parentId: code.session_id, workspaceId: code.workspace_id, port, ...session };
    const row = await first(this.#pool, insertWorkspaceSession, params);
    if (row === null) return null;
    await this.#note(code, "opened", port === null ? {} : { port });
    return toSession(row);
  }

  /** Who got into which workspace, or tried to with a code that was made for something else. */
  async #note(
    code: { user_id: string; workspace_id: string },
    kind: string,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    await count(this.#pool, insertEvent, {
      ...written({ kind, from_phase: null, to_phase: null, operation: null, details }),
      workspaceId: code.workspace_id,
      actorKind: "user",
      actorId: code.user_id,
    });
  }

  async findWorkspaceSession(tokenHash: Uint8Array): Promise<WorkspaceSession | null> {
    const row = await first(this.#pool, findWorkspaceSession, { tokenHash });
    return row === null ? null : toSession(row);
  }
}

const sameHash = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

function toSession(row: {
  id: string;
  user_id: string;
  workspace_id: string;
  port: number | null;
  expires_at: Ms;
}): WorkspaceSession {
  const { id: sessionId, user_id: userId, workspace_id: workspaceId, port, expires_at: expiresAt } = row;
  return { sessionId, userId, workspaceId, port, expiresAt };
}

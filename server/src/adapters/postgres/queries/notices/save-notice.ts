import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Remembers a concern, or how far the telling of it is. */
export const saveNotice = statement<{
  channel: string;
  key: string;
  id: string;
  code: string;
  fields: string;
  path: string;
  seenAt: Date;
  toldAt: Date | null;
  goneAt: Date | null;
  tries: number;
  nextTryAt: Date;
}>("save-notice", COORDINATOR_ROLE)`
INSERT INTO notices (channel, key, id, code, fields, path, seen_at, told_at, gone_at, tries, next_try_at)
VALUES (${"channel"}, ${"key"}, ${"id"}, ${"code"}, ${"fields"}, ${"path"}, ${"seenAt"}, ${"toldAt"}, ${"goneAt"}, ${"tries"}, ${"nextTryAt"})
ON CONFLICT (channel, key) DO UPDATE SET
  told_at = excluded.told_at, gone_at = excluded.gone_at, tries = excluded.tries, next_try_at = excluded.next_try_at
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Keeps a variable; one of the same name was deleted before. */
export const insertVariable = statement<
  {
    id: string;
    userId: string;
    workspaceId: string | null;
    name: string;
    isSecret: boolean;
    repositories: readonly string[] | null;
    bytes: number;
    wrapped: Uint8Array;
    box: Uint8Array;
    keyId: string;
  },
  { changedAt: number }
>("insert-variable", API_ROLE)`
INSERT INTO variables (id, user_id, workspace_id, name, is_secret, repositories, bytes, wrapped, box, key_id)
VALUES (${"id"}, ${"userId"}, ${"workspaceId"}, ${"name"}, ${"isSecret"}, ${"repositories"}, ${"bytes"}, ${"wrapped"}, ${"box"}, ${"keyId"})
RETURNING changed_at AS "changedAt"
`;

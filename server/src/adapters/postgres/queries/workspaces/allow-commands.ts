import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = { userId: string; repository: string; digest: string };

/** This person has read these commands of this repository, and wants them run. */
export const allowCommands = statement<Params, Record<never, never>>("allow-commands", API_ROLE)`
INSERT INTO allowed_commands (user_id, repository, digest) VALUES (${"userId"}, ${"repository"}, ${"digest"})
ON CONFLICT DO NOTHING
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The key that seals only opens from now on, unless it is this one. Waits for whoever is sealing with it. */
export const endSealing = statement<{ id: string }>("end-sealing", API_ROLE)`
UPDATE secret_keys SET state = 'opening' WHERE state = 'sealing' AND id <> ${"id"}
`;

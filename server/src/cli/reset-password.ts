import { PostgresAccountStore } from "#adapters/postgres/stores/account-store.ts";
import { PasswordHasher } from "#api/accounts/password-hasher.ts";
import { newPassword } from "#api/accounts/secrets.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import type { Given } from "./command.ts";
import { configuration } from "./environment.ts";
import { withPool } from "./operator-database.ts";

/** For whoever is locked out: whoever may use the database may do this, and the audit log says that nobody was signed in. */
export async function resetPassword({ arguments: [username = ""] }: Given): Promise<number> {
  return await withPool(configuration(), async (pool) => {
    const accounts = new PostgresAccountStore(pool);
    const found = (await accounts.findForLogin(username.normalize("NFKC").toLowerCase()))?.account ?? null;
    if (found === null) {
      const names = (await accounts.list()).filter(({ role }) => role === "admin").map((account) => account.username);
      console.error(`There is no account ${username}. Administrators are: ${names.join(", ") || "none yet"}.`);
      return EXIT.failed;
    }
    const password = newPassword();
    const passwordHash = await new PasswordHasher().hash(password);
    const change = { passwordHash, replaces: null, mustChangePassword: true, endTokens: true };
    await accounts.setPassword(found.id, change, { kind: "system", userId: null, address: null });
    console.log(`user      ${found.username}\npassword  ${password}\n\nIt has to be changed at the next sign-in.`);
    if (found.disabledAt !== null) console.log("The account is disabled: an administrator has to enable it first.");
    return EXIT.inOrder;
  });
}

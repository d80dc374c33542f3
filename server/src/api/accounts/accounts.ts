import { isIP } from "node:net";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import { type Familiarity, judgeAttempt } from "#core/rules/throttle.ts";
import type { Account, AuditActor, NewAccount, Role, ThrottleKey } from "#ports/accounts.ts";
import { type DeviceOwner, knownDevice } from "./known-device.ts";
import { hashSecret, newPassword, newSecret } from "./secrets.ts";

export const SESSION_LIFETIME_MS = 14 * 24 * 3_600_000;
const KNOWN_ADDRESS_MS = 30 * 24 * 3_600_000;
export const MAX_TOKENS = 50;

export type AccountDeps = Pick<ApiDeps, "accounts" | "sessions" | "throttle" | "hasher" | "metrics" | "ids">;

/** An IPv6 household is a /64: one machine in it could otherwise use another address for every guess. */
export function addressGroup(address: string): string {
  const plain = address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  if (isIP(plain) !== 6) return plain;
  const [head = "", tail] = plain.split("%")[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}

/** People type passwords into the wrong field: what is stored of an unknown name is only its hash. */
const subjectOf = (username: string): string =>
  Buffer.from(hashSecret(`login:${username}`))
    .toString("hex")
    .slice(0, 32);

/** Where an attempt comes from; `device` is the mark that the browser sent, whatever it is worth. */
export interface Origin {
  readonly address: string;
  readonly device: string | null;
}

/** An attempt as its counters know it: the browser's own, or that of the address it came from. */
interface Attempt {
  readonly username: string;
  readonly address: string;
  readonly familiarity: Familiarity;
  readonly keys: readonly [ThrottleKey, ThrottleKey, ThrottleKey];
}

async function attemptOf(
  deps: AccountDeps,
  username: string,
  { address, device }: Origin,
  owner: DeviceOwner | null,
): Promise<Attempt> {
  const account = subjectOf(username);
  const from = addressGroup(address);
  const known = owner === null ? null : knownDevice(owner, device);
  const knownAddress = await deps.throttle.knownAddress(username, address, KNOWN_ADDRESS_MS);
  return {
    username,
    address,
    familiarity: known !== null ? "device" : knownAddress ? "address" : "none",
    keys: [
      { scope: "account", subject: known === null ? `${account}@${from}` : `${account}#${known}` },
      { scope: "address", subject: from },
      { scope: "account", subject: account },
    ],
  };
}

/** Counts the attempt, or refuses it while the rule says wait. */
async function throttled(deps: AccountDeps, { username, address, familiarity, keys }: Attempt): Promise<void> {
  const waitMs = await deps.throttle.decide(keys, ([pair = null, here = null, account = null], now) => {
    const judged = judgeAttempt({ pair, address: here, account }, familiarity, now);
    return { next: [judged.next.pair, judged.next.address, judged.next.account], result: judged.waitMs };
  });
  if (waitMs === 0) return;
  deps.metrics.logins.inc({ outcome: "throttled" });
  await deps.throttle.noteFailure(username, address, "throttled");
  throw new ApiError("TOO_MANY_ATTEMPTS", undefined, { "retry-after": String(Math.ceil(waitMs / 1000)) });
}

/** Takes back the count of an attempt that turned out well; what others failed stays counted. */
async function forgive(deps: AccountDeps, { familiarity, keys }: Attempt): Promise<void> {
  const [pair, ...shared] = keys;
  await deps.throttle.clear([pair]);
  if (familiarity === "device") return;
  await deps.throttle.decide(shared, (states) => ({
    next: states.map((state) =>
      state === null ? null : { ...state, failures: Math.max(0, state.failures - 1), blockedUntil: null },
    ),
    result: undefined,
  }));
}

export interface Checked extends DeviceOwner {
  readonly account: Account;
}

/**
 * Name and password, checked at the same price whether or not the name exists. Throws the same error for an unknown
 * name, a wrong password and a disabled account.
 */
export async function checkPassword(
  deps: AccountDeps,
  login: { readonly username: string; readonly password: string } & Origin,
): Promise<Checked> {
  const username = login.username.normalize("NFKC").toLowerCase();
  const found = await deps.accounts.findForLogin(username);
  const owner = found === null ? null : { accountId: found.account.id, passwordHash: found.passwordHash };
  const attempt = await attemptOf(deps, username, login, owner);
  await throttled(deps, attempt);
  const matches = await deps.hasher.verify(login.password, found?.passwordHash ?? null);
  if (found === null || !matches || found.account.disabledAt !== null) {
    deps.metrics.logins.inc({ outcome: "refused" });
    await deps.throttle.noteFailure(username, login.address, matches && found !== null ? "disabled" : "wrong");
    throw new ApiError("INVALID_CREDENTIALS");
  }
  await forgive(deps, attempt);
  const passwordHash = await upToDate(deps, found.account.id, found.passwordHash, login.password);
  deps.metrics.logins.inc({ outcome: "ok" });
  return { account: found.account, accountId: found.account.id, passwordHash };
}

/**
 * The hash of a password that was just found right, made with today's parameters. Another sign-in may have done so
 * meanwhile, which leaves the password right; a change of it does not, and whoever goes on with the old hash is refused.
 */
async function upToDate(deps: AccountDeps, id: string, hash: string, password: string): Promise<string> {
  if (!deps.hasher.isOutdated(hash)) return hash;
  const renewed = await deps.hasher.hash(password);
  if (await deps.accounts.rehash(id, hash, renewed)) return renewed;
  const current = await deps.accounts.passwordHashOf(id);
  return current !== null && (await deps.hasher.verify(password, current)) ? current : hash;
}

/** A new secret for every sign-in; a session the browser brought along ends with it. */
export async function openSession(
  deps: AccountDeps,
  { accountId, passwordHash }: DeviceOwner,
  from: { readonly address: string; readonly userAgent: string | null; readonly replaces: string | null },
) {
  const { secret, hash } = newSecret();
  const record = await deps.sessions.open(
    {
      tokenHash: hash,
      userId: accountId,
      passwordHash,
      lifetimeMs: SESSION_LIFETIME_MS,
      address: from.address,
      userAgent: from.userAgent?.slice(0, 300) ?? null,
    },
    from.replaces === null ? null : hashSecret(from.replaces),
  );
  if (record === null) throw new ApiError("INVALID_CREDENTIALS");
  return { secret, record };
}

export async function createAccount(
  deps: AccountDeps,
  wanted: { readonly username: string; readonly password: string | undefined; readonly role: Role },
  actor: AuditActor,
): Promise<{ readonly account: Account; readonly generated: string | null }> {
  const generated = wanted.password === undefined ? newPassword() : null;
  const account: NewAccount = {
    id: deps.ids.uuid(),
    username: wanted.username,
    passwordHash: await deps.hasher.hash(wanted.password ?? generated ?? ""),
    role: wanted.role,
    mustChangePassword: generated !== null,
  };
  const created = await deps.accounts.create(account, actor);
  if (created === null) throw new ApiError("USERNAME_TAKEN", { username: wanted.username });
  return { account: created, generated };
}

/**
 * At first start: makes the administrator, with the configured or a generated password. Resolves to the generated one,
 * to be shown once, or to null when there are accounts already or the password was configured.
 */
export async function ensureFirstAdmin(
  deps: Pick<AccountDeps, "accounts" | "hasher" | "ids">,
  configured: { readonly username: string; readonly password: string | null },
): Promise<{ readonly username: string; readonly password: string } | null> {
  if ((await deps.accounts.count()) > 0) return null;
  const password = configured.password ?? newPassword();
  const created = await deps.accounts.create(
    {
      id: deps.ids.uuid(),
      username: configured.username,
      passwordHash: await deps.hasher.hash(password),
      role: "admin",
      // It was shown on a screen and may stand in a log.
      mustChangePassword: configured.password === null,
    },
    { kind: "system", userId: null, address: null },
  );
  // Null: another process of this deployment was first, and showed the password it made.
  return created === null || configured.password !== null ? null : { username: configured.username, password };
}

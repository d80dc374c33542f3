import { ApiError, type Client, createClient } from "@codehub/contract";
import { admin } from "./program.ts";

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The cookies of a session, as the dashboard's browser has them. */
export async function sessionCookies(url: string, user: Credentials = admin): Promise<string> {
  const plain = createClient({ baseUrl: url, fetch, headers: { origin: url } });
  const answer = await fetch(plain.url("login"), {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(user),
  });
  if (!answer.ok) throw new Error(`sign-in failed: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

/** A client of the API with a session, as the dashboard has one. */
export async function signIn(url: string, user: Credentials): Promise<Client> {
  const cookie = await sessionCookies(url, user);
  return createClient({ baseUrl: url, fetch, headers: { origin: url, cookie } });
}

/** A client of the API beside the browser, to prepare what a test is not about. */
export async function apiAs(url: string, user: Credentials = admin): Promise<Client> {
  const session = await signIn(url, user);
  const { secret } = await session.createToken({ body: { name: "test" } });
  return createClient({ baseUrl: url, fetch, token: secret });
}

/** Or who is left of this name by a first try of the same test, with the same password. */
export async function makeUser(api: Client, username: string): Promise<{ username: string; password: string }> {
  const password = `the password of ${username}`;
  await api.createUser({ body: { username, password } }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === "USERNAME_TAKEN")) throw error;
  });
  return { username, password };
}

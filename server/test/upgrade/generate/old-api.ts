import { setTimeout as pause } from "node:timers/promises";

export interface OldWorkspace {
  readonly id: string;
  readonly phase: string;
  readonly operation: string;
  readonly error: { readonly reason: string } | null;
}

/** The old release's HTTP API as one user, in plain calls: today's client may know other routes. */
export class OldApi {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  static async login(url: string, user: { username: string; password: string }) {
    const answer = await fetch(`${url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify(user),
    });
    if (!answer.ok) throw new Error(`${user.username} cannot sign in: ${await answer.text()}`);
    const cookie = (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    const session = new OldApi(url, { cookie, origin: url });
    const { secret } = await session.call<{ secret: string }>("POST", "/auth/tokens", { name: "laptop" });
    return { cookie, secret, api: new OldApi(url, { authorization: `Bearer ${secret}` }) };
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  create(name: string, wish: string): Promise<OldWorkspace> {
    return this.call("POST", "/workspaces", {
      name,
      desired_state: wish,
      memo: `# ${name}`,
      description: "from 0.1.0",
    });
  }

  wish(id: string, desired: string): Promise<OldWorkspace> {
    return this.call("PATCH", `/workspaces/${id}`, { desired_state: desired });
  }

  async reaches(id: string, phase: string, operation = "NONE", limitMs = 90_000): Promise<OldWorkspace> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const workspace = await this.call<OldWorkspace>("GET", `/workspaces/${id}`);
      if (workspace.phase === phase && workspace.operation === operation) return workspace;
      if (performance.now() > deadline) throw new Error(`${id} is not ${phase}: ${JSON.stringify(workspace)}`);
      await pause(100);
    }
  }
}

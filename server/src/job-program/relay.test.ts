import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";

/** The relay as it runs beside a workspace, on this machine's loopback. */
async function startRelay(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  probe.close();
  await once(probe, "close");
  const env = { CODEHUB_POD_IP: "127.0.0.1", CODEHUB_POD_UID: "this-pod", CODEHUB_RELAY_PORT: String(port) };
  const relay = spawn(process.execPath, [new URL("relay.cjs", import.meta.url).pathname], { env, stdio: "inherit" });
  onTestFinished(() => void relay.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await answers()) && relay.exitCode === null);
  return url;
}

test("nothing that is asked of the relay ends it or takes its own place", async () => {
  const url = await startRelay();
  const own = new URL(url).port;
  for (const port of ["0", "99999", own]) {
    const answer = await fetch(`${url}/relay/${port}`, { method: "POST" });
    expect(answer.status).toBe(409);
  }
  expect(await (await fetch(url)).json()).toEqual({ pod: "this-pod" });
}, 60_000);

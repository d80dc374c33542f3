// A stand-in for the IDE that starts at once: it answers where code-server would, and does what tests ask of it.
import { spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { createServer } from "node:http";

const others = [];

const actions = {
  "/healthz": () => "ok",
  "/exit": ({ code }) => {
    setImmediate(() => process.exit(Number(code)));
    return "bye";
  },
  "/ignore-stop": () => {
    process.on("SIGTERM", () => {});
    return "ok";
  },
  // Uses more memory than there is, until somebody ends it.
  "/exhaust": () => {
    const kept = [];
    setInterval(() => kept.push(Buffer.alloc(32 * 1024 * 1024, 1)), 5);
    return "ok";
  },
  "/print": ({ lines }) => {
    for (let line = 1; line <= Number(lines); line++) process.stdout.write(`line ${line}\n`);
    return "ok";
  },
  "/log": ({ text }) => {
    process.stdout.write(`${text}\n`);
    return "ok";
  },
  "/listen": ({ host, port = "0" }) =>
    new Promise((resolve) => {
      const other = createServer((_, response) => response.end(`uid ${process.getuid()}`));
      others.push(other);
      other.listen({ port: Number(port), host, ipv6Only: host === "::" }, () => resolve(String(other.address().port)));
    }),
  "/quiet": () => {
    for (const other of others.splice(0)) {
      other.close();
      other.closeAllConnections();
    }
    return "ok";
  },
  // A process that leaves the group, the session and its parent, as daemons do.
  "/daemon": () => {
    const daemon = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    daemon.unref();
    return String(daemon.pid);
  },
  "/run": ({ command }) =>
    new Promise((resolve) => {
      const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
      });
      child.stderr.on("data", (chunk) => {
        text += chunk;
      });
      child.on("close", (code) => resolve(JSON.stringify({ code, text })));
    }),
};

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const action = actions[url.pathname];
  response.end(action ? await action(Object.fromEntries(url.searchParams)) : "");
});
const [where] = process.argv.slice(2);
if (/^\d+$/.test(where)) server.listen(Number(where), "0.0.0.0");
else server.listen(where, () => chmodSync(where, 0o600));
process.on("SIGTERM", () => {
  if (process.listenerCount("SIGTERM") === 1) process.exit(0);
});

import { get } from "node:http";

/**
 * The image's health check: whether this process answers, at its port or, where the proxy is another one, at its socket. Whether database,
 * store and engine do is /readyz's to say: a container that is started again would not mend them.
 */
const { CONTROL_SOCKET = "", HOST = "", PORT = "8000", ROLES = "all" } = process.env;
const isBehindProxy = CONTROL_SOCKET !== "" && !/all|proxy/.test(ROLES);
const host = ["", "0.0.0.0", "::", "localhost"].includes(HOST) ? "127.0.0.1" : HOST;
const target = isBehindProxy ? { socketPath: CONTROL_SOCKET } : { host, port: PORT };
const TIMEOUT_MS = 4_000;

const request = get({ ...target, path: "/healthz", agent: false, timeout: TIMEOUT_MS }, (answer) => {
  if (answer.statusCode !== 200) console.log(`/healthz says ${answer.statusCode}`);
  process.exit(answer.statusCode === 200 ? 0 : 1);
});
request.on("timeout", () => request.destroy(new Error(`/healthz does not answer within ${TIMEOUT_MS} ms`)));
request.on("error", (error) => {
  console.log(error.message);
  process.exit(1);
});

import { startFront } from "../../test/proxy/harness.ts";

/** Our proxy in a process of its own, with one signed-in user and one running workspace. Prints how to get in. */
const backendPort = Number(process.argv[2]);
const front = await startFront();
const user = front.world.addUser();
const { record } = front.world.login(user);
const row = front.world.running(user, { kind: "tcp", host: "127.0.0.1", port: backendPort });
const { host, origin } = front.origins.workspace(row.id, null);
const cookie = `__Host-codehub_ws=${front.world.admit(row, record.sessionId)}`;
process.stdout.write(`${JSON.stringify({ port: front.port, host, origin, cookie })}\n`);

import { confirms } from "#adapters/docker/knock.ts";
import type { Address } from "#core/rows/workspace.ts";
import { startFront } from "../../test/proxy/harness.ts";

/** `ours.ts ADDRESS`: our proxy in a process of its own, with one signed-in user and one running workspace. Prints how to get in. */
const address: Address = JSON.parse(process.argv[2] ?? "");
const front = await startFront();
front.world.confirms = confirms;
const user = front.world.addUser();
const { record } = front.world.login(user);
const row = front.world.running(user, address);
const { host, origin } = front.origins.workspace(row, null);
const cookie = `__Host-codehub_ws=${front.world.admit(row, record.sessionId)}`;
process.stdout.write(`${JSON.stringify({ port: front.port, host, origin, cookie })}\n`);

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#supervise/free-port.ts";
import { startRedis } from "../api/redis-server.ts";
import { build, endWorkspaces, placeIde } from "../e2e/program.ts";
import { createUnmigratedDatabase } from "../postgres/with-database.ts";
import { type Front, startNginx } from "./front.ts";
import { behind, Replica } from "./replica.ts";

/** Three CodeHubs of one deployment behind the real nginx, with a real Redis, and the database that they share. */
export interface Deployment extends AsyncDisposable {
  readonly front: Front;
  readonly replicas: readonly Replica[];
  readonly databaseUrl: string;
}

export async function startDeployment(): Promise<Deployment> {
  build();
  await using stack = new AsyncDisposableStack();
  const directory = stack.adopt(await mkdtemp(join(tmpdir(), "codehub-replicas-")), async (path) => {
    await endWorkspaces(path);
    await rm(path, { recursive: true, force: true });
  });
  await chmod(directory, 0o711);
  await placeIde(directory);
  const database = stack.adopt(await createUnmigratedDatabase(), (made) => made.drop());
  const redis = stack.use(await startRedis());
  const ports = [await freePort(), await freePort(), await freePort()];
  const front = stack.use(await startNginx(ports));
  const common = {
    ...behind(front, directory, database.url),
    REDIS_URL: redis.url,
    SHUTDOWN_DRAIN_SECONDS: "2",
    SHUTDOWN_GRACE_SECONDS: "20",
  };
  const replicas = ports.map((port) =>
    stack.adopt(new Replica({ ...common, PORT: String(port) }), async (replica) => void (await replica.stop())),
  );
  for (const replica of replicas) await replica.start();
  const owned = stack.move();
  return {
    front,
    replicas,
    databaseUrl: database.url,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

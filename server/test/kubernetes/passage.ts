import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";

export interface Passage extends AsyncDisposable {
  readonly port: number;
}

/** Connections to an address of this machine go on to another place, which is asked for anew for each. */
export async function openPassage(host: string, target: () => NetConnectOpts): Promise<Passage> {
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on("close", () => open.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    const there = keep(connect(target()));
    for (const side of [client, there]) side.on("error", () => client.destroy() && there.destroy());
    client.pipe(there).pipe(client);
  });
  await once(server.listen(0, host), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** The same for the tests' database, which may be at a socket that only its own account can enter. */
export async function openDatabasePassage(host: string, database: string): Promise<Passage & { readonly url: string }> {
  const url = new URL(database);
  const folder = url.searchParams.get("host");
  const port = Number(url.port);
  const passage = await openPassage(host, () =>
    folder === null ? { host: url.hostname, port } : { path: `${folder}/.s.PGSQL.${port}` },
  );
  const there = new URL(url);
  there.searchParams.delete("host");
  there.host = `${host}:${passage.port}`;
  return { ...passage, url: there.href };
}

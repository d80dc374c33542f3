import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A registry with one image of one layer, of which it hands out the second half when it is told to. */
export interface ImageRegistry extends AsyncDisposable {
  readonly imageRef: string;
  readonly layerBytes: number;
  readonly release: () => void;
}

/** With `login` (`user:password`) it answers nobody else. */
export async function imageRegistry(layerBytes = 4 * 1024 * 1024, login: string | null = null): Promise<ImageRegistry> {
  const tar = tarOf("filler", randomBytes(layerBytes));
  const layer = gzipSync(tar, { level: 0 });
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "arm64" ? "arm64" : "amd64",
      os: "linux",
      config: {},
      rootfs: { type: "layers", diff_ids: [digestOf(tar)] },
    }),
  );
  const type = "application/vnd.docker.distribution.manifest.v2+json";
  const blob = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type,
      config: blob("application/vnd.docker.container.image.v1+json", config),
      layers: [blob("application/vnd.docker.image.rootfs.diff.tar.gzip", layer)],
    }),
  );
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = createServer(async (req, res) => {
    const path = req.url ?? "";
    if (login !== null && req.headers.authorization !== `Basic ${Buffer.from(login).toString("base64")}`) {
      res.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
      return;
    }
    if (path.includes("/manifests/")) {
      const about = { "content-length": manifest.length, "docker-content-digest": digestOf(manifest) };
      res.writeHead(200, { "content-type": type, ...about });
      res.end(req.method === "HEAD" ? undefined : manifest);
    } else if (path.endsWith(digestOf(config))) {
      res.end(config);
    } else if (path.endsWith(digestOf(layer))) {
      res.writeHead(200, { "content-length": layer.length });
      res.write(layer.subarray(0, layer.length / 2));
      await released;
      res.end(layer.subarray(layer.length / 2));
    } else {
      res.writeHead(path === "/v2/" ? 200 : 404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    imageRef: `127.0.0.1:${port}/codehub-test/pulled:1`,
    layerBytes: layer.length,
    release,
    [Symbol.asyncDispose]: async () => {
      release();
      server.closeAllConnections();
      server.close();
    },
  };
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** One plain file, as a tar archive. */
function tarOf(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(512);
  head.write(name);
  head.write("0000644\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        0", 148);
  head.write("ustar\x0000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const rest = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([head, content, rest, Buffer.alloc(1024)]);
}

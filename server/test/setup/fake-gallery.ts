import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

export interface FakeGallery extends AsyncDisposable {
  /** As an IDE takes it in EXTENSIONS_GALLERY. */
  readonly settings: string;
  readonly host: string;
  /** What was asked for. */
  readonly asked: readonly string[];
  /** Cuts every connection, or answers again. */
  readonly fail: (fails: boolean) => void;
}

const manifestOf = (name: string) =>
  JSON.stringify({ name, publisher: "team", version: "1.0.0", engines: { vscode: "^1.60.0" }, contributes: {} });

/** Has the extensions `team.NAME` of these names and no others, as small as they can be. */
export async function fakeGallery(names: readonly string[], address = "127.0.0.1"): Promise<FakeGallery> {
  const asked: string[] = [];
  let fails = false;
  const server = createServer((request, response) => {
    if (fails) return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      asked.push(`${request.url} ${body}`);
      const [, name = "", kind = ""] = new URL(request.url ?? "/", base()).pathname.split("/");
      if (kind.endsWith("Manifest")) response.end(manifestOf(name));
      else if (kind.endsWith("VSIXPackage"))
        response.end(zipOf({ "extension/package.json": manifestOf(name), "extension.vsixmanifest": "<x/>" }));
      else {
        const found = names.filter((each) => body.includes(`"team.${each}"`)).map((each) => described(base(), each));
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ results: [{ extensions: found, resultMetadata: [] }] }));
      }
    });
  });
  const base = () => `http://${address}:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    settings: JSON.stringify({ serviceUrl: `${base()}/gallery`, itemUrl: `${base()}/item` }),
    host: new URL(base()).host,
    asked,
    fail: (now) => {
      fails = now;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

function described(base: string, name: string): object {
  const assets = `${base}/${name}`;
  const file = (type: string) => ({ assetType: type, source: `${assets}/${type}` });
  return {
    extensionId: `00000000-0000-4000-8000-${crc32(name).toString(16).padStart(12, "0")}`,
    extensionName: name,
    displayName: name,
    shortDescription: "",
    publisher: {
      publisherId: "00000000-0000-4000-8000-000000000001",
      publisherName: "team",
      displayName: "Team",
      flags: "",
    },
    flags: "",
    statistics: [],
    versions: [
      {
        version: "1.0.0",
        lastUpdated: "2026-01-01T00:00:00Z",
        assetUri: assets,
        fallbackAssetUri: assets,
        files: [file("Microsoft.VisualStudio.Code.Manifest"), file("Microsoft.VisualStudio.Services.VSIXPackage")],
        properties: [{ key: "Microsoft.VisualStudio.Code.Engine", value: "^1.60.0" }],
      },
    ],
  };
}

/** A zip file whose entries are stored as they are. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, place, name]));
    local.push(entry);
    offset += entry.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, list, Buffer.from("PK\u0005\u0006"), end]);
}

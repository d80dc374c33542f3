import { request } from "node:http";
import type { ClientsCommand, Sample } from "./messages.ts";

/**
 * A process of its own full of event stream clients, so that what they cost is not charged to the server. Each notes
 * when the frame of a version arrived; the machine's monotonic clock is shared by all processes.
 */
const samples: Sample[] = [];
let snapshots = 0;

function open(url: string, host: string, cookie: string): void {
  let buffer = "";
  const sent = request(`${url}/api/v1/events`, { headers: { host, cookie }, agent: false }, (answer) => {
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      const at = process.hrtime.bigint();
      buffer += chunk;
      const frames = buffer.split("\n\n");
      buffer = frames.pop() ?? "";
      for (const frame of frames) {
        if (frame.startsWith("event: snapshot")) process.send?.({ kind: "snapshots", count: ++snapshots });
        if (!frame.startsWith("event: workspace_updated")) continue;
        const { id, version } = JSON.parse(frame.slice(frame.indexOf("data: ") + 6)) as { id: string; version: number };
        samples.push({ key: `${id} ${version}`, at: String(at) });
      }
    });
  });
  sent.on("error", (error) => process.send?.({ kind: "failed", error: String(error) }));
  sent.end();
}

process.on("message", (command: ClientsCommand) => {
  if (command.kind === "open")
    for (const cookie of command.cookies)
      for (let tab = 0; tab < command.tabs; tab += 1) open(command.url, command.host, cookie);
  if (command.kind === "report") process.send?.({ kind: "samples", samples });
});

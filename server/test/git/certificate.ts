import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** A certificate that a host signed itself, for one address; whoever is to believe it is given it. */
export function certificateFor(folder: string, address: string): { readonly key: string; readonly cert: string } {
  const at = (name: string): string => path.join(folder, name);
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-subj", "/CN=git", "-addext", `subjectAltName=IP:${address}`],
      ...["-keyout", at("host.key"), "-out", at("host.crt")],
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(at("host.key"), "utf8"), cert: readFileSync(at("host.crt"), "utf8") };
}

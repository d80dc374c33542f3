import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { TestCluster } from "./private-cluster.ts";

const run = promisify(execFile);

export const CHART: string = fileURLToPath(new URL("../../../deploy/chart", import.meta.url));

/** The one that came with the cluster's programs, else the machine's; null where there is none. */
export function findHelm(cluster: TestCluster | null): string | null {
  const own = join(cluster?.dir ?? "", "bin/helm");
  if (cluster?.dir != null && existsSync(own)) return own;
  if (spawnSync("helm", ["version"]).status === 0) return "helm";
  console.log("What needs Helm is skipped: it comes with a cluster of TEST_KUBE, or as `helm` of this machine.");
  return null;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** Values as one argument: JSON is YAML too, and nothing in it has to be escaped. */
const valueArgs = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]);

export class Helm {
  readonly #program: string;
  readonly #kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  async run(...args: string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: this.#kubeconfig };
    const { stdout } = await run(this.#program, args, { env, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  }

  lint(values: object): Promise<string> {
    return this.run("lint", CHART, "--strict", ...valueArgs(values));
  }

  /** What would be applied, as text. */
  template(namespace: string, values: object, ...only: string[]): Promise<string> {
    const chosen = only.flatMap((name) => ["--show-only", `templates/${name}.yaml`]);
    return this.run("template", "codehub", CHART, "--namespace", namespace, ...chosen, ...valueArgs(values));
  }

  /** Installs it, or changes what is installed, and waits until all of its pods answer. */
  async upgrade(namespace: string, values: object): Promise<void> {
    const how = ["--install", "--namespace", namespace, "--wait", "--timeout", "120s"];
    await this.run("upgrade", "codehub", CHART, ...how, ...valueArgs(values));
  }

  async uninstall(namespace: string): Promise<void> {
    await this.run("uninstall", "codehub", "--namespace", namespace, "--wait", "--timeout", "120s");
  }
}

export function objectsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document): Manifest | null => document.toJS())
    .filter((object) => object !== null);
}

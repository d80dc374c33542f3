import { execFileSync } from "node:child_process";
import { startEngine } from "./private-engine.ts";

/** A test run that starts an engine and a container and then waits to be killed: says the container's process first. */
const engine = await startEngine();
const docker = (...args: string[]): string =>
  execFileSync("docker", args, { env: { ...process.env, DOCKER_HOST: engine.host }, encoding: "utf8" }).trim();
const container = docker("run", "-d", "--network", "none", "codehub-test/fake:latest");
process.send?.({
  engine: engine.pid(),
  container: Number(docker("inspect", "-f", "{{.State.Pid}}", container)),
  dataRoot: docker("info", "-f", "{{.DockerRootDir}}"),
});
setInterval(() => {}, 60_000);

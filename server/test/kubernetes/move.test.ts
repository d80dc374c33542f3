import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { deepLines, LOOK, LOOKED, type Moving, makeFilled, startMoving } from "../cli/moving.ts";
import { containerOf } from "../docker/container-of.ts";
import { type PrivateEngine, startEngine } from "../docker/private-engine.ts";
import { runInside } from "../runtime/ask.ts";
import { type ClusterPlace, placeOnCluster } from "./cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./kubernetes-harness.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

/** Whoever outgrows one machine takes the same archives along, with one store for all three. */
describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("codehub move to a cluster", () => {
  let moving: Moving;
  let plane: KubernetesDataPlane;
  let engine: PrivateEngine;
  let place: ClusterPlace;
  beforeAll(async () => {
    if (cluster === null || s3 === null) return;
    [moving, plane, engine] = await Promise.all([startMoving(), kubernetesDataPlane(cluster, s3), startEngine("fake")]);
    place = await placeOnCluster(plane);
  });
  afterAll(async () => {
    await moving?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
    await plane?.close();
  });

  it("takes a home from processes to Docker to Kubernetes, and it is its user's everywhere", async () => {
    const { begin, bring, leave } = moving;
    const { storeEnvironment: store, environment } = place;
    const processes = { ...store, RUNTIME: "process", DEFAULT_IMAGE: FAKE_IMAGE };
    const docker = {
      ...store,
      ...{ RUNTIME: "docker", DOCKER_HOST: engine.host, DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE },
      ...{ HOST_PORTS_FROM: "54001", HOST_PORTS_TO: "54999" },
    };
    const first = await begin(processes);
    const id = await makeFilled(moving, first);
    expect(deepLines(await first.home(id))).toHaveLength(3);
    await leave(first, id, docker);

    const second = await begin(docker);
    await bring(second, id, "RUNNING");
    const inContainer = await runInside(await containerOf(engine.host, id), `${LOOK} && echo kept > from-docker`);
    expect(inContainer).toEqual({ code: 0, text: LOOKED });
    await leave(second, id, environment);

    const third = await begin(environment);
    await bring(third, id, "RUNNING");
    const { admin, namespace } = plane.harness;
    const pod = await admin.read<Pod>(`/api/v1/namespaces/${namespace}/pods/ws-${id}`);
    const address = { kind: "tcp", host: pod?.status?.podIP ?? "no address", port: 8080 } as const;
    const inPod = await runInside({ address }, `${LOOK} && cat from-docker`);
    expect(inPod).toEqual({ code: 0, text: `${LOOKED}kept\n` });
    await bring(third, id, "STANDBY");
  }, 400_000);
});

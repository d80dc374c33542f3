import { defineConfig } from "vitest/config";

// One project per kind of engine a test needs, so that each can be run, skipped or required on its own.
// Engines and browsers share CI's two cores: there a test that fails is tried once more, and both tries are reported.
const retry = process.env["CI"] === undefined ? 0 : 1;
const project = (name: string, include: string[], extra: object = {}) => ({
  // What differs is said whole: "[ Array(1) ]" tells nobody why a test fails where it cannot be run again.
  test: {
    name,
    include,
    retry: ["unit", "model", "sim"].includes(name) ? 0 : retry,
    chaiConfig: { truncateThreshold: 0 },
    ...extra,
  },
});

/** A browser on a busy machine may take seconds to show what a test waits for. */
const patient = { expect: { poll: { timeout: 20_000 } } };

export default defineConfig({
  test: {
    projects: [
      // Some look at every row there can be, which takes a second on a quiet machine and much longer on a busy one.
      project("unit", ["{contract,server,dashboard}/src/**/*.test.ts", "{scripts,server/{bench,proof}}/**/*.test.ts"], {
        testTimeout: 60_000,
      }),
      // PostgreSQL comes with the dependencies, so these need nothing but Linux. Starting servers takes longer than 5 s here.
      project("postgres", ["server/test/postgres/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      // The simulator's own parts; the simulation itself is `npm run sim`.
      project("sim", ["server/test/sim/**/*.test.ts"], { testTimeout: 60_000 }),
      // The proxy over real sockets, with real servers behind it.
      project("proxy", ["server/test/proxy/**/*.test.ts"], { testTimeout: 60_000, hookTimeout: 60_000 }),
      // What a workspace does with a repository: git against a real git-http-backend and a real sshd, and its commands in real shells.
      project("git", ["server/test/{git,setup}/**/*.test.ts"], { testTimeout: 60_000, hookTimeout: 60_000 }),
      // The HTTP API, accounts and events: PostgreSQL as above and, where it is installed, a real redis-server.
      project("api", ["server/test/api/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      // The commands of an operator, run as programs on the same PostgreSQL.
      project("cli", ["server/test/cli/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      // What others see of the whole program: Prometheus, a collector of traces, who is sent notices.
      project("monitoring", ["server/test/monitoring/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      // The protocol's model needs no engine, only time: its quick mixes and every planted hole.
      project("model", ["server/test/model/**/*.test.ts"], { testTimeout: 120_000, hookTimeout: 180_000 }),
      // How the making of a fresh machine fails; that one works is a step of npm test by itself.
      project("fresh", ["server/test/fresh/**/*.test.ts"], { testTimeout: 60_000 }),
      // Workspaces as processes of this machine.
      project("runtime", ["server/test/runtime/**/*.test.ts"], { testTimeout: 60_000, hookTimeout: 300_000 }),
      // Archive stores, volumes and storage jobs: GNU tar, zstd and, where radosgw is installed, a real S3 server.
      project("data", ["server/test/data/**/*.test.ts"], {
        globalSetup: ["server/test/data/global-setup.ts"],
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      // Data of an earlier release, taken over by the program of today; putting its homes in place needs root.
      project("upgrade", ["server/test/upgrade/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      // CodeHubs behind a real nginx or Caddy, several of one deployment with a real Redis.
      project("replicas", ["server/test/replicas/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 300_000,
        hookTimeout: 120_000,
      }),
      // A Docker engine of the run's own, with images made from this machine's files, and a real S3 server as above.
      project("docker", ["server/test/docker/**/*.test.ts"], {
        globalSetup: [
          "server/test/docker/global-setup.ts",
          "server/test/data/global-setup.ts",
          "server/test/postgres/global-setup.ts",
        ],
        testTimeout: 120_000,
        hookTimeout: 600_000,
      }),
      // A Kubernetes cluster of the run's own, or one that is given: programs that no package brings (private-cluster.ts).
      project("kubernetes", ["server/test/kubernetes/**/*.test.ts"], {
        globalSetup: ["server/test/kubernetes/global-setup.ts", "server/test/postgres/global-setup.ts"],
        // Most of the time is the cluster's, which attaches a disk in seconds however little there is to do.
        sequence: { concurrent: true },
        maxConcurrency: 4,
        maxWorkers: 3,
        testTimeout: 180_000,
        hookTimeout: 600_000,
      }),
      // Coordinators as processes that are killed, frozen and cut off; the partition needs root for a network namespace.
      project("chaos", ["server/test/chaos/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts"],
        testTimeout: 300_000,
        hookTimeout: 120_000,
      }),
      // The dashboard in a real Chromium against the whole program; each file has a server of its own.
      project("e2e", ["server/test/e2e/**/*.test.ts"], {
        ...patient,
        maxWorkers: 2,
        testTimeout: 120_000,
        hookTimeout: 900_000,
      }),
      // The whole program with the real IDE in a real Chromium, on every runtime. After the rest: it needs the machine.
      project("ide", ["server/test/ide/**/*.test.ts"], {
        globalSetup: ["server/test/postgres/global-setup.ts", "server/test/ide/global-setup.ts"],
        sequence: { groupOrder: 1 },
        ...patient,
        maxWorkers: 2,
        // In each file one test that mostly waits, and beside it the others, one after the other.
        maxConcurrency: 2,
        // For many steps together; each of them has a limit of its own.
        testTimeout: 2_700_000,
        hookTimeout: 900_000,
      }),
    ],
  },
});

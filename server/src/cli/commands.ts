import type { Command } from "./command.ts";

/** What there is, in the order in which people meet it. What a command needs is loaded when it runs. */
export const COMMANDS: readonly Command[] = [
  {
    name: "start",
    takes: [],
    summary: "run CodeHub, as npm start does",
    help: "Keeps the programs of a deployment running until it is told to stop (Ctrl-C, SIGTERM).\n\n  --print-config  print the effective configuration, secrets masked, and end",
    options: { "print-config": { type: "boolean" } },
    run: async (given) => (await import("./start.ts")).start(given),
  },
  {
    name: "doctor",
    takes: [],
    summary: "look at everything CodeHub needs, and say what to do",
    help: "Looks at configuration, database, roles, clocks, Redis, archive store, engine, images, firewall, DNS, disk and descriptors, from this\nmachine and as this user, and says for each what it found and what to do. It changes nothing; it writes, reads and removes one\nsmall object in the store, and on Docker sets the rules that every start sets.\n\n  --json  as data\n\nEnds with 0 when nothing is broken, else with 1.",
    options: { json: { type: "boolean" } },
    run: async (given) => (await import("./doctor.ts")).doctor(given),
  },
  {
    name: "admin reset-password",
    takes: ["USERNAME"],
    summary: "give somebody a new password, shown once",
    help: "Makes a password, shows it once, and has it changed at the next sign-in. All sessions and API tokens of the account end.\nWorks whether or not CodeHub runs.",
    options: {},
    run: async (given) => (await import("./reset-password.ts")).resetPassword(given),
  },
  {
    name: "kubernetes print",
    takes: [],
    summary: "print what a cluster must have before the first start",
    help: "Prints a List for `kubectl apply -f -`: namespace, service account, rights and network policies, as KUBERNETES_NAMESPACE,\nKUBERNETES_SERVER_NAMESPACE, KUBERNETES_SERVER_NETWORKS and KUBERNETES_STORE_NETWORKS say. The chart makes the same.",
    options: {},
    run: async () => (await import("./kubernetes-print.ts")).kubernetesPrint(),
  },
];

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
    help: "Looks at configuration, database, roles, clocks, keys for secrets, Redis, archive store, engine, images, firewall, DNS, disk and descriptors, from this\nmachine and as this user, and says for each what it found and what to do. It changes nothing; it writes, reads and removes one\nsmall object in the store, and on Docker sets the rules that every start sets.\n\n  --json  as data\n\nEnds with 0 when nothing is broken, else with 1.",
    options: { json: { type: "boolean" } },
    run: async (given) => (await import("./doctor.ts")).doctor(given),
  },
  {
    name: "backup",
    takes: ["FILE"],
    summary: "write the database of one moment to a file, and read it back",
    help: "Writes everything but homes, while CodeHub runs. Homes are in the archive store, which has a backup of its own.\n\n  --keys FILE         also write sessions and API tokens, to a file of their own; without it everybody signs in anew after a restore\n  --secrets-key FILE  also write the keys of SECRETS_KEY_FILE, which open people's secrets, to a file of their own; keep it apart from the backup\n\nA file that is there is not written over. See docs/operating/backup.md.",
    options: { keys: { type: "string" }, "secrets-key": { type: "string" } },
    run: async (given) => (await import("./backup.ts")).backup(given),
  },
  {
    name: "restore",
    takes: ["FILE"],
    summary: "make a backup the database, and look for homes in the archive store",
    help: "Fills an empty database. CodeHub must not run on it. Archives that were made after the backup are found in the store; garbage collection\nstays paused until an administrator resumes it.\n\n  --keys FILE         sessions and API tokens that were taken with the backup\n  --secrets-key FILE  put these keys for people's secrets into SECRETS_KEY_FILE, below those that it has\n  --homes-lost        the engine of the backup is gone with every volume: each home opens at its newest archive, and those without one are listed\n  --replace           give up what is in the database\n\nSee docs/operating/backup.md.",
    options: {
      keys: { type: "string" },
      "secrets-key": { type: "string" },
      "homes-lost": { type: "boolean" },
      replace: { type: "boolean" },
    },
    run: async (given) => (await import("./restore.ts")).restore(given),
  },
  {
    name: "move",
    takes: [],
    summary: "bind the deployment to the engine and the store that are configured now",
    help: "Run it with the new configuration while CodeHub does not run. It refuses, and lists them, while homes are on volumes of the former engine,\nand while the new store lacks an archive.\n\n  --lost NAME  give up the home of this workspace on the former engine, by name or id; again for each. It opens at its newest archive,\n               or stays closed where it has none\n\nSee docs/operating/moving.md.",
    options: { lost: { type: "string", multiple: true } },
    run: async (given) => (await import("./move.ts")).move(given),
  },
  {
    name: "secrets rotate",
    takes: [],
    summary: "give people's secrets another key",
    help: "Puts a new key into SECRETS_KEY_FILE, seals everything with it that another one sealed, and takes the former out. Servers go on meanwhile and find the\nnew key by themselves, where they use the same file. Interrupted, it is run again. Where there is no file yet, one is made.\n\nSee docs/operating/secrets.md.",
    options: {},
    run: async () => (await import("./rotate-secrets.ts")).rotateSecrets(),
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

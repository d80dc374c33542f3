import { DECISIONS } from "#coordinator/deps.ts";
import type { FormerTerm, ProcessIdentity } from "#core/rules/succession.ts";
import type { Plant } from "./plant.ts";

/** The former leader's record, as if it had run where we do. */
const asIfHere = (former: FormerTerm, here: Partial<ProcessIdentity>): FormerTerm =>
  former.holder === null ? former : { ...former, holder: { ...former.holder, ...here } };

/** A leader asks often who else there is, so that a lock that is free for a moment is taken in that moment. */
const eager: Plant["deps"] = (deps) => ({
  ...deps,
  settings: { ...deps.settings, campaignIntervalMs: 2_000, pingIntervalMs: 4 * 60_000 },
});

/** Ways to believe too early that nobody else can act. */
export const SUCCESSION: readonly Plant[] = [
  {
    name: "succeedAtOnce",
    what: "a new leader never waits",
    caughtBy: ["IE"],
    deps: eager,
    decisions: () => ({ judgeFormerLeader: () => ({ verdict: "gone", why: "nobody_led" }) }),
  },
  {
    name: "succeedByPid",
    what: "a leader with our own process number is taken for ourselves before a restart",
    caughtBy: ["IE"],
    deps: eager,
    decisions: () => ({
      judgeFormerLeader: (former, self, seen) =>
        former.holder?.pid === self?.pid && former.holder?.startTicks !== self?.startTicks
          ? { verdict: "gone", why: "pid_used_again" }
          : DECISIONS.judgeFormerLeader(former, self, seen),
    }),
  },
  {
    name: "succeedOtherHost",
    what: "the former leader's process is looked for on another machine than its own",
    caughtBy: ["IE"],
    deps: eager,
    decisions: () => ({
      judgeFormerLeader: (former, self, seen) =>
        DECISIONS.judgeFormerLeader(
          self === null ? former : asIfHere(former, { bootId: self.bootId, machineId: self.machineId }),
          self,
          seen,
        ),
    }),
  },
  {
    name: "succeedOtherNamespace",
    what: "the former leader's process is looked for in another namespace than its own",
    caughtBy: ["IE"],
    deps: eager,
    decisions: () => ({
      judgeFormerLeader: (former, self, seen) =>
        DECISIONS.judgeFormerLeader(
          self === null ? former : asIfHere(former, { pidNamespace: self.pidNamespace }),
          self,
          seen,
        ),
    }),
  },
  {
    name: "succeedEnded",
    what: "a leader says that it has ended while it goes on",
    caughtBy: ["IE"],
    deps: (deps, cluster) => {
      const { election } = deps;
      return {
        ...eager(deps, cluster),
        election: {
          campaign: async (signal) => {
            const term = await election.campaign(signal);
            if (term === null) return null;
            const begin = async (): Promise<void> => {
              await term.begin();
              await term.end();
            };
            return { ...term, begin };
          },
        },
      };
    },
  },
];

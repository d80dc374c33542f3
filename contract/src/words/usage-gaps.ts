import type { UsageGap } from "../usage.ts";

/** Why a figure of what a workspace uses is not there. */
export const usageGapWords: Readonly<Record<UsageGap, string>> = {
  soon: "Known within two minutes of running.",
  unanswered: "The last look got no answer; the next one is within a minute.",
  no_metrics_server: "The cluster has no metrics server. An administrator can install one.",
  not_allowed: "The cluster does not let CodeHub read its metrics. An administrator can update the Role.",
  not_counted: "This machine does not count it.",
  too_many_files: "There are too many files to count them in half a minute.",
  old_relay: "Known after a restart of the workspace.",
};

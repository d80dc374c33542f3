import { type Static, Type } from "typebox";
import { Count, closed, nullable, Timestamp } from "./schema.ts";
import { usageGaps, usageRanges } from "./values.ts";

export const UsageRange = Type.Enum([...usageRanges], { title: "UsageRange" });
export type UsageRange = (typeof usageRanges)[number];

export const UsageGap = Type.Enum([...usageGaps], { title: "UsageGap" });
export type UsageGap = (typeof usageGaps)[number];

export const UsageQuery = closed({ range: Type.Optional(UsageRange) });

const Cores = nullable(Type.Number({ minimum: 0, description: "Processor cores that were busy, on average." }));
const Bytes = nullable(Count);

/** What a workspace uses. A figure that is null was not to be had; `missing` says why. */
export const WorkspaceUsage = closed(
  {
    range: UsageRange,
    from: Timestamp,
    to: Timestamp,
    step_seconds: Count,
    kept_days: Type.Integer({ minimum: 1, description: "So long the server remembers." }),
    latest: nullable(
      closed(
        {
          at: Timestamp,
          cpu_cores: Cores,
          memory_bytes: Bytes,
          home_bytes: nullable({
            ...Count,
            description: "What the files of the home take, as far as they were counted last.",
          }),
          disk: nullable(
            closed(
              {
                used_bytes: Count,
                total_bytes: Count,
                shared: Type.Boolean({ description: "Other homes are on it, too." }),
              },
              { description: "The disk that the home is on." },
            ),
          ),
          missing: closed(
            {
              cpu: Type.Optional(UsageGap),
              memory: Type.Optional(UsageGap),
              home: Type.Optional(UsageGap),
              disk: Type.Optional(UsageGap),
            },
            { description: "Why a figure is not there." },
          ),
        },
        { description: "The last look; null until there was one. Only what runs is looked at." },
      ),
    ),
    series: Type.Array(
      closed({
        at: Timestamp,
        cpu_cores: Cores,
        memory_bytes: nullable({ ...Count, description: "The most of the step." }),
        home_bytes: Bytes,
        disk_used_bytes: Bytes,
      }),
      { description: "By steps, oldest first; a step without a look is left out." },
    ),
  },
  { title: "WorkspaceUsage" },
);
export type WorkspaceUsage = Static<typeof WorkspaceUsage>;

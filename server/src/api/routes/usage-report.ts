import type { UsageReport } from "@codehub/contract";
import type { ApiDeps } from "#api/deps.ts";
import { csvLine } from "#api/http/csv.ts";
import { auditActor, type HandlersOf } from "#api/http/handler.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import { lastWeeks } from "#core/rows/weeks.ts";
import type { UsageLine } from "#ports/views.ts";

type UsageRoutes = "getUsageReport" | "downloadUsage";

const WEEKS = 12;

/** What everybody used, by user and week; for administrators. */
export const usageHandlers = ({ views, clock, audit }: ApiDeps): HandlersOf<UsageRoutes> => ({
  getUsageReport: async ({ query }) => {
    const weeks = query.weeks ?? WEEKS;
    return reportOf(await views.usageByWeek(weeks), lastWeeks(clock.nowMs(), weeks));
  },

  downloadUsage: async ({ query, principal, request, reply }) => {
    const weeks = query.weeks ?? WEEKS;
    await audit(auditActor(principal, request), "usage_downloaded", { weeks });
    const lines = await views.usageByWeek(weeks);
    const day = isoTime(clock.nowMs()).slice(0, 10);
    reply
      .header("content-type", "text/csv; charset=utf-8")
      .header("content-disposition", `attachment; filename="codehub-usage-${day}.csv"`);
    await reply.send(
      csvLine(["user_id", "user", "week", "hours", "home_bytes"]) +
        lines
          .map(({ userId, username, week, hours, homeBytes }) =>
            csvLine([userId, username, isoTime(week).slice(0, 10), rounded(hours), homeBytes]),
          )
          .join(""),
    );
    return undefined;
  },
});

const rounded = (hours: number): number => Math.round(hours * 100) / 100;

function reportOf(lines: readonly UsageLine[], weeks: readonly number[]): UsageReport {
  const users = Map.groupBy(lines, ({ userId }) => userId)
    .values()
    .map((own) => {
      const byWeek = new Map(own.map((line) => [line.week, line]));
      return {
        user_id: own[0]?.userId ?? "",
        username: own[0]?.username ?? "",
        hours: weeks.map((week) => rounded(byWeek.get(week)?.hours ?? 0)),
        home_bytes: weeks.map((week) => byWeek.get(week)?.homeBytes ?? 0),
      };
    });
  return { weeks: weeks.map(isoTime), users: [...users] };
}

import type { ApiError } from "@codehub/contract";
import { problemText } from "./api.ts";
import { Notice } from "./ui/basics.tsx";

/** Why the server did not do what a form asked for; nothing while there is no reason. */
export const ProblemNotice = ({ title, problem }: { title: string; problem: ApiError | null }) =>
  problem === null ? null : (
    <Notice tone="error" title={title} live>
      {problemText(problem)}
    </Notice>
  );

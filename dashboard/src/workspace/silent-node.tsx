import { conditionText, type Workspace } from "@codehub/contract";
import { Notice } from "../ui/basics.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { localVoice } from "../words/voice.ts";

const key = "infra.container_present";

/** Its container is on a node that nobody hears from: what that means, and for administrators the way out. */
export function SilentNode({ workspace, admin }: { workspace: Workspace; admin: boolean }) {
  const condition = workspace.conditions[key];
  const node = condition?.fields?.["node"];
  if (condition?.reason !== "NodeSilent" || typeof node !== "string") return null;
  return (
    <Notice
      tone="warning"
      title={`The node ${node} does not answer`}
      live
      actions={
        admin && (
          <button
            type="button"
            className="btn btn-small"
            onClick={() => showOverlay({ kind: "node_off", workspace, node })}
          >
            The node is off for good…
          </button>
        )
      }
    >
      {conditionText(key, condition, localVoice)}
    </Notice>
  );
}

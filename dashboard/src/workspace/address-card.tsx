import type { Workspace } from "@codehub/contract";
import { Card } from "../ui/basics.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { showOverlay } from "../ui/overlay.ts";

/** Where it is served, for its owner. */
export function AddressCard({ workspace }: { workspace: Workspace }) {
  const { address } = workspace;
  if (address === null) return null;
  return (
    <Card title="Address">
      <p className="text-sm wrap-anywhere">{address.url}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <CopyButton text={address.url} label="Copy the address" />
        <button type="button" className="btn btn-small" onClick={() => showOverlay({ kind: "address", workspace })}>
          Change address
        </button>
      </div>
    </Card>
  );
}

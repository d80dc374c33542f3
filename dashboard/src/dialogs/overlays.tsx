import { Boundary, Failure } from "../boundary.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { hideOverlay, type Overlay, useOverlay } from "../ui/overlay.ts";
import { AccessDialog } from "./access.tsx";
import { AddressDialog } from "./address.tsx";
import { CommandsDialog } from "./commands.tsx";
import { ConfirmDialog } from "./confirm.tsx";
import { CreateDialog } from "./create.tsx";
import { DeleteDialog } from "./delete.tsx";
import { DeleteUserDialog, GiveLeftDialog } from "./delete-user.tsx";
import { HelpDialog } from "./help.tsx";
import { LimitDialog } from "./limit.tsx";
import { LogsDialog } from "./logs.tsx";
import { NamedDialog } from "./named.tsx";
import { NodeOffDialog } from "./node-off.tsx";
import { RecoverDialog } from "./recover.tsx";
import { RepositoryDialog } from "./repository.tsx";
import { SetupLogDialog } from "./setup-log.tsx";
import { UserLimitDialog } from "./user-limit.tsx";

/** A dialog that cannot be drawn leaves the page behind it as it is. */
export function Overlays() {
  const overlay = useOverlay();
  if (overlay === null) return null;
  return (
    <Boundary
      at={overlay.kind}
      show={(error) => (
        <Dialog title="CodeHub" onClose={hideOverlay}>
          <Failure what="dialog" error={error} />
        </Dialog>
      )}
    >
      <Shown overlay={overlay} />
    </Boundary>
  );
}

function Shown({ overlay }: { overlay: Overlay }) {
  switch (overlay.kind) {
    case "create":
      return <CreateDialog asked={overlay.asked ?? { repository: "", name: "" }} />;
    case "help":
      return <HelpDialog />;
    case "commands":
      return <CommandsDialog />;
    case "delete":
      return <DeleteDialog workspaces={overlay.workspaces} />;
    case "purge":
    case "reset":
      return <NamedDialog kind={overlay.kind} workspace={overlay.workspace} />;
    case "recover":
      return <RecoverDialog workspace={overlay.workspace} />;
    case "node_off":
      return <NodeOffDialog workspace={overlay.workspace} node={overlay.node} />;
    case "logs":
      return <LogsDialog workspace={overlay.workspace} />;
    case "setup_log":
      return <SetupLogDialog workspace={overlay.workspace} />;
    case "address":
      return <AddressDialog workspace={overlay.workspace} />;
    case "repository":
      return <RepositoryDialog workspace={overlay.workspace} again={overlay.again} />;
    case "delete_user":
      return <DeleteUserDialog {...overlay} />;
    case "give_left":
      return <GiveLeftDialog {...overlay} />;
    case "user_limit":
      return <UserLimitDialog user={overlay.user} onChanged={overlay.onChanged} />;
    case "access":
      return <AccessDialog user={overlay.user} onChanged={overlay.onChanged} />;
    case "confirm":
      return <ConfirmDialog question={overlay.question} />;
    case "limit":
      return <LimitDialog error={overlay.error} retry={overlay.retry} />;
  }
}

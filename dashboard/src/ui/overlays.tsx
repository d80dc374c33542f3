import { CreateDialog } from "../dialogs/create.tsx";
import { DeleteDialog } from "../dialogs/delete.tsx";
import { HelpDialog } from "../dialogs/help.tsx";
import { LimitDialog } from "../dialogs/limit.tsx";
import { LogsDialog } from "../dialogs/logs.tsx";
import { NamedDialog } from "../dialogs/named.tsx";
import { RecoverDialog } from "../dialogs/recover.tsx";
import { useOverlay } from "./overlay.ts";

export const Overlays = () => {
  const overlay = useOverlay();
  if (overlay === null) return null;
  switch (overlay.kind) {
    case "create":
      return <CreateDialog />;
    case "help":
      return <HelpDialog />;
    case "delete":
      return <DeleteDialog workspaces={overlay.workspaces} />;
    case "purge":
    case "reset":
      return <NamedDialog kind={overlay.kind} workspace={overlay.workspace} />;
    case "recover":
      return <RecoverDialog workspace={overlay.workspace} />;
    case "logs":
      return <LogsDialog workspace={overlay.workspace} />;
    case "limit":
      return <LimitDialog error={overlay.error} retry={overlay.retry} />;
  }
};

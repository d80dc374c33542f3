import { useEffect, useRef } from "react";
import { navigate, pathOf } from "../hooks/router.ts";
import { showOverlay, useOverlay } from "../ui/overlay.ts";
import { Workspaces } from "./workspaces.tsx";

/** `/new?repo=…&name=…`: the list, with the dialog filled in over it. Nothing is created without a click there. */
export function New() {
  const closed = useOverlay() === null;
  const shown = useRef(false);
  useEffect(() => {
    const asked = new URLSearchParams(location.search);
    showOverlay({
      kind: "create",
      asked: { repository: asked.get("repo")?.trim() ?? "", name: asked.get("name")?.trim().slice(0, 100) ?? "" },
    });
  }, []);
  useEffect(() => {
    if (!closed) shown.current = true;
    else if (shown.current) navigate(pathOf.workspaces, { replace: true });
  }, [closed]);
  return <Workspaces />;
}

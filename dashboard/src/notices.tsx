import { useEffect, useState } from "react";
import { usePreference } from "./hooks/preferences.ts";
import { placeOf, usePath } from "./hooks/router.ts";
import { useSession } from "./session.tsx";
import { Notice } from "./ui/basics.tsx";

/**
 * Workspaces live on their own host names. Most browsers resolve *.localhost themselves and some do not; it is better to
 * learn that here than from a blank tab.
 */
function useProbe(template: string, singleOrigin: boolean): "unknown" | "reachable" | "unreachable" {
  const [result, setResult] = useState<"unknown" | "reachable" | "unreachable">("unknown");
  useEffect(() => {
    const probe = template.replace("{id}", "probe");
    if (singleOrigin || !/^https?:\/\/probe\.localhost(:\d+)?\/?$/.test(probe)) return undefined;
    const controller = new AbortController();
    fetch(`${probe.replace(/\/$/, "")}/.codehub/probe`, {
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      signal: controller.signal,
    }).then(
      () => setResult("reachable"),
      () => {
        if (!controller.signal.aborted) setResult("unreachable");
      },
    );
    return () => controller.abort();
  }, [template, singleOrigin]);
  return result;
}

export function Notices() {
  const { session } = useSession();
  const { deployment } = session;
  const { page } = placeOf(usePath());
  const probe = useProbe(deployment.workspace_base_url, deployment.unsafe_single_origin);
  // Who may share the server is an administrator's to decide; to others it would be a worry without a remedy.
  const forAdmin = session.user.role === "admin";
  const [trust, setTrust] = usePreference("trusted-notice", ["shown", "hidden"]);
  return (
    <div className="mb-6 flex flex-col gap-3 empty:hidden">
      {deployment.unsafe_single_origin && (
        <Notice tone="error" title="Workspaces share the dashboard's address">
          Any program in a workspace can act as you here. Set WORKSPACE_BASE_URL to a separate domain and remove
          UNSAFE_SINGLE_ORIGIN.
        </Notice>
      )}
      {probe === "unreachable" && (
        <Notice tone="warning" title="This browser cannot open workspaces at *.localhost">
          Chrome, Edge and Firefox resolve these names by themselves; some versions of Safari do not. Use one of them,
          or set WORKSPACE_BASE_URL to a wildcard domain such as <code>https://{"{id}"}.ws.example.net</code> that
          points to this server.
        </Notice>
      )}
      {forAdmin && deployment.trusted_single_user && trust === "shown" && page === "workspaces" && (
        <Notice
          tone="info"
          title="For people who trust each other"
          actions={
            <button type="button" className="btn btn-small" onClick={() => setTrust("hidden")}>
              Understood
            </button>
          }
        >
          Workspaces run as plain processes on this machine, not in containers. Use Docker or Kubernetes to serve people
          who do not know each other.
        </Notice>
      )}
    </div>
  );
}

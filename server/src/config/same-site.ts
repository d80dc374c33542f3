import { getDomain } from "tldts";

/** A label as ids of workspaces are, in the place of one. */
const SOME_ID = "00000000-0000-4000-8000-000000000000";

/**
 * Whether browsers count the dashboard and a workspace as one site: then they send Lax cookies between the two and let
 * a workspace set cookies for what is above both. Port and scheme make no difference. Workspaces below the dashboard's
 * own host count as that whatever the list of public suffixes says: nothing should hang on that list alone there.
 */
export function sharesSite(baseUrl: string, workspaceBaseUrl: string): boolean {
  const dashboard = hostOf(baseUrl);
  const workspace = hostOf(workspaceBaseUrl.replace("{id}", SOME_ID));
  // Browsers make every name right below localhost a site of its own, and take no cookie for localhost from it.
  if (workspace === `${SOME_ID}.localhost`) return false;
  return workspace.endsWith(`.${dashboard}`) || siteOf(workspace) === siteOf(dashboard);
}

/** In small ASCII letters, as browsers compare hosts. The dot that a name may end in changes who is meant for nobody. */
const hostOf = (address: string): string => new URL(address).hostname.replace(/\.+$/, "");

/** The registrable domain; an address, a public suffix or a host of one label stands for itself. */
const siteOf = (host: string): string =>
  // What URL took for a host is one: a stricter reading would find no domain and call equal sites different.
  getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host;

import { doorPath } from "./door-pages.ts";
import { escapeHtml, type Page } from "./layout.ts";

/** Pages that know no row: they say nothing about whether a workspace exists. */

const DASHBOARD = (dashboard: string): string =>
  `<a class="button primary" href="${escapeHtml(dashboard)}/">Go to the dashboard</a>`;

export const notFoundPage = (dashboard: string): Page => ({
  status: 404,
  title: "Not found",
  heading: "There is no such workspace",
  tone: "warn",
  body: `<p>It does not exist, or it is not yours. Check the address.</p><div class="actions">${DASHBOARD(dashboard)}</div>`,
});

/** The hand-over did not fit: too late, used already, begun in another browser, or cookies are off. */
export const handoverFailedPage = (dashboard: string, workspaceId: string): Page => ({
  status: 400,
  title: "Open again",
  heading: "This link cannot be used",
  tone: "warn",
  body: `<p>A link that opens a workspace works once, for half a minute, and only in the browser that asked for it. If this happens every time, the browser keeps no cookies for this address.</p>
<div class="actions"><a class="button primary" href="${escapeHtml(dashboard + doorPath(workspaceId))}">Open the workspace again</a></div>`,
});

export const ambiguousPage = (dashboard: string): Page => ({
  status: 400,
  title: "Sign in again",
  heading: "Two sessions came at once",
  tone: "warn",
  body: `<p>The request carried more than one session cookie, so it cannot be told whose it is. The cookies of this address were cleared.</p><div class="actions">${DASHBOARD(dashboard)}</div>`,
});

export const unavailablePage = (): Page => ({
  status: 503,
  title: "One moment",
  heading: "The server cannot look this up at the moment",
  tone: "warn",
  retryAfterSeconds: 5,
  body: "<p>Its database does not answer. Workspaces that are open go on; try again in a few seconds.</p>",
});

/** What passes the dashboard on is there, and what serves it is not. The page asks again by itself: see pass-on.ts. */
export const restartingPage = (): Page => ({
  status: 503,
  title: "One moment",
  heading: "CodeHub is being restarted",
  tone: "calm",
  retryAfterSeconds: 1,
  body: "<p>Workspaces that are open go on. This page loads itself again.</p>",
});

/** For guests, who can neither start it nor know when it was. */
export const notRunningPage = (): Page => ({
  status: 503,
  title: "Not running",
  heading: "Not running now",
  tone: "calm",
  body: '<p>The workspace behind this address does not run. Its owner can start it.</p><div class="actions"><a class="button" href="">Try again</a></div>',
});

/** For guests: nothing answers there, or something that may not. */
export const noProgramPage = (port: number | null): Page => ({
  status: 502,
  title: "No answer",
  heading: `Nothing answers on port ${port}`,
  tone: "warn",
  retryAfterSeconds: 3,
  body: '<p>The program behind this address does not answer.</p><div class="actions"><a class="button primary" href="">Try again</a></div>',
});

export const unreachablePage = (dashboard: string, workspaceId: string, port: number | null): Page => ({
  status: 502,
  title: "No answer",
  heading: port === null ? "The workspace does not answer" : `Nothing answers on port ${port}`,
  tone: "warn",
  retryAfterSeconds: 3,
  body: `<p>${
    port === null
      ? "It may be restarting. Open it again to see what it is doing."
      : "Start the program in the workspace's terminal and reload. It has to listen on this port."
  }</p>
<div class="actions"><a class="button primary" href="">Try again</a><a class="button" href="${escapeHtml(dashboard + doorPath(workspaceId))}">Open the workspace</a></div>`,
});

export const blockedRedirectPage = (dashboard: string): Page => ({
  status: 502,
  title: "Redirect blocked",
  heading: "A redirect was blocked",
  tone: "warn",
  body: `<p>A program in the workspace tried to send you to the dashboard, to another workspace, or to an address that is none. If you want to go there, use the dashboard.</p><div class="actions">${DASHBOARD(dashboard)}</div>`,
});

export const singleUserPage = (): Page => ({
  status: 409,
  title: "Cannot start",
  heading: "Only one person may run workspaces here",
  tone: "warn",
  body: '<p>This server runs workspaces as plain processes without separate system users. An administrator can change that by running it as root or with Docker.</p><div class="actions"><a class="button" href="/">Go to the dashboard</a></div>',
});

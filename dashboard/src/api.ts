import { type ApiError, type Client, createClient } from "@codehub/contract";

/** The one client of the page. It speaks to the server that served it, with the browser's cookie. */
export const api: Client = createClient({ baseUrl: "", fetch: (url, init) => fetch(url, init) });

/** What a person reads when a call fails: what happened and what to do, in one breath. */
export const problemText = (error: ApiError): string => `${error.message} ${error.action}`;

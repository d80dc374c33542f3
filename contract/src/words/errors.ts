/**
 * Every error the server can answer with. `message` may hold {placeholders} filled from the error's details; `action`
 * says what the caller can do. A code is never reused for another meaning. docs/errors.md is compared with this table.
 */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    message: "The request could not be read: {problem}.",
    action: "Send a well-formed request; bodies are JSON in UTF-8.",
  },
  VALIDATION_FAILED: {
    status: 400,
    message: "The request is not valid: {problem}.",
    action: "Correct the fields listed in details.fields; the OpenAPI document describes each one.",
  },
  DUPLICATE_COOKIE: {
    status: 400,
    message: "The request carried more than one session cookie, so it cannot be told whose it is.",
    action: "The cookies were cleared; sign in again.",
  },
  IMAGE_NOT_ALLOWED: {
    status: 400,
    message: "The image {image} is not on this server's list.",
    action: "Choose one of details.allowed, or ask an administrator to extend IMAGE_ALLOWLIST.",
  },
  REPOSITORY_REFUSED: {
    status: 400,
    message: "{problem} Nothing was done.",
    action: "Correct the address; details.reason says what is wrong with it.",
  },
  CONFIRMATION_MISMATCH: {
    status: 400,
    message: "The confirmation does not match the workspace's name.",
    action: "Send the exact name of the workspace as confirm.",
  },
  USER_CONFIRMATION_MISMATCH: {
    status: 400,
    message: "The confirmation does not match the user's name.",
    action: "Send the exact name of the user as confirm.",
  },
  NODE_MISMATCH: {
    status: 400,
    message: "The confirmation does not match the name of the node that the container is on.",
    action: "Send the exact name of that node as confirm; the condition infra.container_present names it.",
  },
  UNAUTHENTICATED: {
    status: 401,
    message: "There is no valid session.",
    action: "Sign in, or send a valid token as Authorization: Bearer.",
  },
  METRICS_TOKEN_REQUIRED: {
    status: 401,
    message: "Metrics are not open to everybody.",
    action:
      "Set METRICS_TOKEN on the server and send it as Authorization: Bearer, or use the session or API token of an " +
      "administrator.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The username or the password is wrong.",
    action: "Check both. An administrator can reset a forgotten password.",
  },
  FORBIDDEN: {
    status: 403,
    message: "You may not do this: {problem}.",
    action: "Ask the owner of the workspace or an administrator.",
  },
  CSRF_REJECTED: {
    status: 403,
    message: "The request did not come from this site: {problem}.",
    action: "Send requests that change something as JSON with the Origin of the dashboard, or use an API token.",
  },
  PASSWORD_REQUIRED: {
    status: 403,
    message: "This server shows workspaces and dashboard under one origin, so this needs your password again.",
    action: "Send the password as X-Codehub-Password, or set WORKSPACE_BASE_URL and leave UNSAFE_SINGLE_ORIGIN.",
  },
  PASSWORD_CHANGE_REQUIRED: {
    status: 403,
    message: "Your password was set by somebody else, so it has to be changed before anything else.",
    action: "Sign in to the dashboard, which asks for a new one, or send it to POST /api/v1/auth/password.",
  },
  SESSION_REQUIRED: {
    status: 403,
    message: "An API token may not do this: only somebody who is signed in may.",
    action: "Sign in to the dashboard and do it there.",
  },
  NOT_FOUND: {
    status: 404,
    message: "There is no such {what}.",
    action: "Check the id. What belongs to somebody else answers the same.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address.",
    action: "Check method and path against /api/v1/openapi.json.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This address does not answer {method}.",
    action: "Use one of the methods that the Allow header names.",
  },
  HOME_SIZE_FIXED: {
    status: 409,
    message: "Homes have no size of their own on this server.",
    action: "Nothing needs to be done: each may use what the disk has left.",
  },
  HOME_SIZE_NOT_LARGER: {
    status: 409,
    message: "The home may hold {bytes} bytes already, and is never made smaller.",
    action: "Ask for more than that.",
  },
  HOME_SIZE_LIMIT: {
    status: 403,
    message: "You may ask for {bytes} bytes at most.",
    action: "Ask an administrator, who may give more.",
  },
  PORT_SHARING_LIMIT: {
    status: 403,
    message: "This server does not allow that: ports may be shared with {allowed}.",
    action: "Ask an administrator, who sets PORT_SHARING.",
  },
  PORT_NOT_SHAREABLE: {
    status: 409,
    message: "Port {port} is CodeHub's own, and never shared.",
    action: "Let the program listen on another port.",
  },
  TOO_MANY_SHARES: {
    status: 429,
    message: "A workspace may share {limit} ports at a time.",
    action: "Close one that is no longer needed.",
  },
  NODE_NOT_SILENT: {
    status: 409,
    message: "No container of this workspace is on a node that the cluster has stopped hearing from.",
    action: "Nothing needs to be given up. If the node has only just gone, wait until the cluster has noticed.",
  },
  WORKSPACE_DELETED: {
    status: 409,
    message: "The workspace is deleted.",
    action: "Undelete it first, while it is still in the trash.",
  },
  NOT_DELETED: {
    status: 409,
    message: "The workspace is not deleted.",
    action: "Nothing needs to be undone.",
  },
  DELETED_FOR_GOOD: {
    status: 409,
    message: "The workspace was deleted for good and cannot be brought back.",
    action: "Create a new workspace.",
  },
  UNDELETE_EXPIRED: {
    status: 410,
    message: "The workspace was in the trash for longer than it is kept.",
    action: "Create a new workspace.",
  },
  RESET_PENDING: {
    status: 409,
    message: "The workspace is being emptied, as its owner confirmed.",
    action: "Wait until it is PENDING, then start it again.",
  },
  OWN_ACCOUNT: {
    status: 409,
    message: "Nobody deletes the account they are signed in with.",
    action: "Let another administrator do it.",
  },
  NO_RECEIVER: {
    status: 409,
    message: "There is nobody of that id to give the workspaces to, or their account is disabled.",
    action: "Choose another user. Nothing was done.",
  },
  WORKSPACES_NOT_AT_REST: {
    status: 409,
    message:
      "These run, are on their way, or cannot be seen just now: {names}. Only what is at rest is given to somebody else.",
    action: "Disable the user, which puts what runs to standby, and do it again when it has stopped. Nothing was done.",
  },
  NO_REPOSITORY: {
    status: 409,
    message: "This workspace has no repository.",
    action: "Send the address of one.",
  },
  COMMANDS_CHANGED: {
    status: 409,
    message: "The commands of this project are not the ones that were shown.",
    action: "Read them again, then agree.",
  },
  NOT_IN_ERROR: {
    status: 409,
    message: "The workspace is not in ERROR, so there is nothing to recover.",
    action: "Look at explain for what happens next.",
  },
  RECOVERY_CHOICE_REQUIRED: {
    status: 409,
    message: "The volume with the home is gone; nothing is restored or emptied without your choice.",
    action: "Send restore_archive with one of details.archives, or start_empty with the workspace's name as confirm.",
  },
  REQUEST_PENDING: {
    status: 409,
    message: "An earlier request for this workspace is still being worked on.",
    action: "Try again in a moment.",
  },
  OPERATION_RUNNING: {
    status: 409,
    message: "{operation} is running and cannot be interrupted.",
    action: "Try again when the operation has finished.",
  },
  RESTORE_NOT_POSSIBLE: {
    status: 409,
    message: "An archive can be restored in phase PENDING or ARCHIVED only; the phase is {phase}.",
    action: "Ask for ARCHIVED first and wait until it is reached.",
  },
  ARCHIVE_NOT_USABLE: {
    status: 409,
    message: "This archive cannot be used: {problem}.",
    action: "Choose another one from the list of archives.",
  },
  NOT_RUNNING: {
    status: 409,
    message: "The workspace is not running.",
    action: "Start it.",
  },
  HOME_OUT_OF_REACH: {
    status: 409,
    message: "On this server nothing can be run in a workspace from outside, so no cache was emptied.",
    action: "Use the commands on the workspace's page, in its terminal.",
  },
  HOME_BUSY: {
    status: 409,
    message: "This home, or too many others, are being looked through or emptied at this moment.",
    action: "Try again in a minute.",
  },
  TOO_MANY_LOOKS: {
    status: 429,
    message: "A home may be looked through or emptied {limit} times in a minute.",
    action: "Wait for as many seconds as Retry-After says.",
  },
  USERNAME_TAKEN: {
    status: 409,
    message: "There is a user called {username} already.",
    action: "Choose another username.",
  },
  LAST_ADMIN: {
    status: 409,
    message: "This is the last administrator who can sign in.",
    action: "Make another user an administrator first.",
  },
  PROCESS_RUNTIME_SINGLE_USER: {
    status: 409,
    message:
      "This server runs workspaces as plain processes without separate system users, so only one person may run workspaces.",
    action: "Run the server as root or with Docker to serve several people.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: "The request is larger than {limit} bytes.",
    action: "Send less.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Only application/json is understood.",
    action: "Send Content-Type: application/json.",
  },
  MISDIRECTED_HOST: {
    status: 421,
    message: "This server does not answer for that host name.",
    action: "Use the address in BASE_URL, or set BASE_URL to the address you use.",
  },
  RUNNING_LIMIT_EXCEEDED: {
    status: 429,
    message: "{scope} may run {limit} workspaces at a time, and {count} are running or asked to run.",
    action: "Put one of details.running to standby, then try again.",
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    message: "There were too many failed sign-ins.",
    action: "Wait for as many seconds as Retry-After says.",
  },
  TOO_MANY_STREAMS: {
    status: 429,
    message: "There are {limit} open event streams of this user already.",
    action: "Close a tab.",
  },
  TOO_MANY_TOKENS: {
    status: 429,
    message: "A user may hold {limit} tokens.",
    action: "Revoke one that is no longer used.",
  },
  KEPT_TOO_MANY: {
    status: 429,
    message: "There may be {limit} of these.",
    action: "Delete one that is no longer used.",
  },
  KEY_TEST_UNDER_WAY: {
    status: 409,
    message: "Another test of yours is under way.",
    action: "Wait for its answer; it takes a minute at most.",
  },
  TOO_MANY_KEY_TESTS: {
    status: 429,
    message: "There may be {limit} tests in a minute.",
    action: "Wait for as many seconds as Retry-After says.",
  },
  KEPT_TOO_LARGE: {
    status: 413,
    message: "Variables and secrets of one place may have {limit} bytes together.",
    action: "Delete one that is no longer used, or keep large values in a file of the home.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong on the server.",
    action: "Try again; if it stays, give the request id to an administrator, who finds it in the logs.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    message: "The database cannot be reached at the moment.",
    action: "Try again shortly. Workspaces that run are not affected.",
  },
  SERVER_RESTARTING: {
    status: 503,
    message: "The server is being restarted.",
    action: "Try again in a moment. Workspaces that run are not affected.",
  },
  SECRETS_KEY_MISSING: {
    status: 503,
    message: "This server has no key with which it could keep this secret, so nothing was saved.",
    action: "An administrator sets SECRETS_KEY_FILE; codehub doctor says what is missing.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: "The archive store cannot be reached at the moment.",
    action: "Try again shortly. No archive is lost by this.",
  },
  ENGINE_UNAVAILABLE: {
    status: 503,
    message: "The engine that runs workspaces cannot be reached at the moment.",
    action: "Try again shortly.",
  },
  OVERLOADED: {
    status: 503,
    message: "Too many people are signing in at this moment.",
    action: "Try again in a few seconds.",
  },
} as const satisfies Record<string, { status: number; message: string; action: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];

/** Fills the {placeholders} of a catalogue message; one that has no value is left out rather than shown raw. */
export const errorMessage = (code: ErrorCode, details: Readonly<Record<string, unknown>> = {}): string =>
  errorCatalogue[code].message.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? "")).trim();

import {
  allowedNetworks,
  bytes,
  decimal,
  flag,
  gallery,
  headers,
  hosts,
  labels,
  listOf,
  matching,
  networks,
  oneOf,
  optional,
  origin,
  text,
  tolerations,
  url,
  type Variable,
  whole,
  words,
} from "./variable.ts";

export const ROLES = ["api", "proxy", "coordinator"] as const;

const seconds = (fallback: number, doc: string): Variable<number> => whole(fallback, { from: 1 }, { doc });

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Defaults that follow from the port, the user or the home directory. */
export const DERIVED_DEFAULTS = {
  BASE_URL: "http://localhost:PORT",
  WORKSPACE_BASE_URL: "http://{id}.localhost:PORT",
  DATA_DIR: { asRoot: "/var/lib/codehub", otherwise: "~/.local/share/codehub" },
} as const;

/** Every variable, in the order of the documentation. The program, its messages and the docs come from this table. */
export const VARIABLES = {
  HOST: text("localhost", {
    doc: "Address to listen on. `localhost` binds 127.0.0.1 and ::1 both, or refuses to start.",
  }),
  PORT: whole(8000, { from: 0, to: 65_535 }, { doc: "Port to listen on; 0 picks a free one." }),
  BASE_URL: optional(
    origin("", {
      doc: `The dashboard's own address as people type it; requests for another Host are refused (421). Default: ${DERIVED_DEFAULTS.BASE_URL}.`,
    }),
  ),
  WORKSPACE_BASE_URL: optional(
    origin(
      "",
      {
        doc: `Where workspaces are served, e.g. \`https://{id}.ws-example.net\`: another registrable domain than the dashboard's. Default: ${DERIVED_DEFAULTS.WORKSPACE_BASE_URL}.`,
      },
      "{id}",
    ),
  ),
  WORKSPACE_ADDRESS: oneOf(["words", "id"], "words", {
    doc: "What a new workspace is called in its host name, where whoever creates it does not say: `words` of its name, which then can be read in DNS and TLS, or its `id`.",
  }),
  ALLOW_SAME_SITE: flag(false, {
    doc: "Accept a WORKSPACE_BASE_URL that browsers count as one site with the dashboard, where isolation is weaker.",
  }),
  UNSAFE_SINGLE_ORIGIN: flag(false, {
    doc: "Serve workspaces from the dashboard's origin. A workspace can then act as its user; nothing makes this safe.",
  }),
  PORT_SHARING: oneOf(["off", "users", "public"], "users", {
    doc: "With whom owners may share ports of their workspaces, for a time or until they close them: nobody, whoever is signed in, or also everybody who has the address.",
  }),
  METRICS_TOKEN: optional(
    text("", {
      doc: "Token with which `/metrics` can be read (Authorization: Bearer), 16 characters or more. Without it only administrators can.",
      secret: true,
    }),
  ),
  TRUSTED_PROXIES: words("", {
    doc: "Addresses or networks (CIDR) of reverse proxies whose X-Forwarded-* headers are believed. Needed behind any reverse proxy, or everybody shares its address; think twice before trusting loopback: see sign-in.md.",
  }),
  DATA_DIR: optional(
    text("", {
      doc: `Where embedded data lives. Default: ${DERIVED_DEFAULTS.DATA_DIR.asRoot} as root, ${DERIVED_DEFAULTS.DATA_DIR.otherwise} otherwise.`,
    }),
  ),
  SECRETS_KEY_FILE: optional(
    matching(/^\/./, "an absolute path", "", {
      doc: "File with the keys that seal people's SSH keys, credentials and secrets: lines of a name and 32 bytes in base64; the first seals, all open. Every server of a deployment needs the same. Default: `secrets.key` in DATA_DIR, made at the first start where the database is the embedded one. See secrets.md.",
    }),
  ),
  ROLES: listOf(["all", ...ROLES], "all", { doc: "What this process does." }),
  CONTROL_SOCKET: optional(
    matching(/^\/.{1,106}$/, "an absolute path of at most 107 characters", "", {
      doc: "Where the API listens instead of PORT when the proxy is a process of its own on the same machine; that one passes everything on which is the dashboard's. `npm start` sets both.",
    }),
  ),
  SHUTDOWN_DRAIN_SECONDS: whole(
    0,
    { from: 0, to: 300 },
    {
      doc: "How long a process that is told to stop goes on answering, while `/readyz` says 503 and every answer ends its connection. Behind a load balancer: as long as that takes to notice.",
    },
  ),
  SHUTDOWN_GRACE_SECONDS: whole(
    3,
    { from: 0, to: 300 },
    {
      inProduction: 30,
      doc: "How long requests that are under way may then take to end. New connections are refused; WebSockets and event streams are ended at once, and connect again elsewhere.",
    },
  ),
  LOG_LEVEL: oneOf(["debug", "info", "warn", "error"], "info", { doc: "Least important level that is logged." }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    url(["http:", "https:"], {
      doc: "A collector of OpenTelemetry traces, spoken to in OTLP over HTTP with JSON, for example `http://collector:4318`; `/v1/traces` is added. See monitoring.md.",
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    headers({ doc: "Headers for the collector, for example its credentials.", secret: true }),
  ),
  OTEL_SERVICE_NAME: text("codehub", { doc: "What traces call this deployment." }),

  NOTICE_WEBHOOK_URL: optional(
    url(["http:", "https:"], {
      doc: "Where notices of what newly needs attention, and of what no longer does, are sent by POST as JSON. See monitoring.md.",
      secret: true,
    }),
  ),
  NOTICE_WEBHOOK_TOKEN: optional(text("", { doc: "Sent with them as Authorization: Bearer.", secret: true })),
  NOTICE_WEBHOOK_SECRET: optional(
    text("", { doc: "They are signed with it: `x-codehub-signature`, HMAC-SHA256 over time and body.", secret: true }),
  ),
  SMTP_URL: optional(
    url(["smtp:", "smtps:"], {
      doc: "A mail server for the same notices, for example `smtps://user:password@mail.example.org`.",
      secret: true,
    }),
  ),
  NOTICE_MAIL_FROM: optional(text("", { doc: "From whom mails come; needed with SMTP_URL." })),
  NOTICE_MAIL_TO: words("", { doc: "To whom they go; needed with SMTP_URL." }),
  NOTICE_AFTER_SECONDS: whole(
    60,
    { from: 1, to: 86_400 },
    { doc: "How long something has to need attention, or has to be over, before anybody is told." },
  ),

  DATABASE_URL: optional(
    url(["postgres:", "postgresql:"], {
      doc: "An external PostgreSQL (14 or newer) instead of the embedded one.",
      secret: true,
    }),
  ),
  REDIS_URL: optional(
    url(["redis:", "rediss:"], {
      doc: "Redis as bus and activity buffer of several processes. Without it they hear each other through the database.",
      secret: true,
    }),
  ),
  REDIS_CHANNEL_SSE_PREFIX: text("codehub:sse:", { doc: "Prefix of the per-user event channels." }),
  REDIS_CHANNEL_WAKE_PREFIX: text("codehub:wake:", { doc: "Prefix of the wake-up channels." }),

  RUNTIME: oneOf(["auto", "process", "docker", "kubernetes"], "auto", {
    doc: "Where workspaces run. `auto` decides once, at first start: Docker where an engine answers and has the default image, else local processes.",
  }),
  DEFAULT_IMAGE: text("codehub/workspace:latest", { doc: "Image of a workspace that names none." }),
  JOB_IMAGE: text("codehub/job:latest", { doc: "Image of the storage job on Docker." }),
  IMAGE_ALLOWLIST: words("", {
    doc: "Images people may choose beside DEFAULT_IMAGE, for example `codehub/go:1`, `codehub/node:*` (every version), `registry.example.net/team/*` (everything below), `*` (any). See runtimes.md.",
  }),
  GIT_HTTP_HOSTS: hosts({
    doc: "Git hosts, with their port where it is not 80, that workspaces may be created from by http: without encryption, and without the credentials that people keep. Empty: by https and ssh only.",
  }),
  DOCKER_HOST: text("unix:///var/run/docker.sock", {
    doc: "The Docker engine: unix:// or tcp:// (with TLS when DOCKER_CERT_PATH is set).",
  }),
  DOCKER_CERT_PATH: optional(text("", { doc: "Directory with ca.pem, cert.pem and key.pem for a tcp:// engine." })),
  HOST_PORTS_FROM: whole(
    20_000,
    { from: 1024, to: 65_535 },
    {
      doc: "First of the ports that are given to containers: each has a network of its own for it. Containers that cannot be reached at their own address are published there, on loopback only.",
    },
  ),
  HOST_PORTS_TO: whole(29_999, { from: 1024, to: 65_535 }, { doc: "Last of them." }),
  WORKSPACE_CPUS: decimal(2, { from: 0.1, to: 256 }, { doc: "CPUs a container may use." }),
  WORKSPACE_MEMORY: bytes("4G", { doc: "Memory a container may use." }),
  WORKSPACE_PIDS: whole(2048, { from: 64 }, { doc: "Processes a container may have." }),
  WORKSPACE_ALLOWED_NETWORKS: allowedNetworks({
    doc: "What workspaces on Docker and Kubernetes may reach besides the internet, for example `10.20.0.0/16:443,10.30.1.7:22,10.30.1.7:8000-8100,fd00:12::/64:443,[fd00:12::7]:22,udp:10.30.1.8:123`: a network or an address, without a port every port; TCP unless `udp:` stands before. Metadata, loopback, the engine and the control plane stay refused. See runtimes.md.",
  }),
  WORKSPACE_CA_FILE: optional(
    text("", {
      doc: "Certificates of private authorities (PEM file) that git, curl, Node and Python in workspaces trust besides their image's own.",
    }),
  ),
  WORKSPACE_KNOWN_HOSTS_FILE: optional(
    text("", {
      doc: "Keys of Git hosts that you vouch for, as ssh keeps them in `known_hosts`. A host that shows another key is refused, also by a new home.",
    }),
  ),
  WORKSPACE_SSH_HOST_KEYS: oneOf(["accept-new", "pinned"], "accept-new", {
    doc: "What becomes of a Git host whose key nobody knows while a repository is got or a key tested: taken the first time (`accept-new`), or refused (`pinned`, needs WORKSPACE_KNOWN_HOSTS_FILE).",
  }),
  WORKSPACE_HTTP_PROXY: optional(
    url(["http:", "https:"], {
      doc: "A proxy for http that programs in workspaces are told of (`http_proxy`). Its address must be the internet's or in WORKSPACE_ALLOWED_NETWORKS.",
      secret: true,
    }),
  ),
  WORKSPACE_HTTPS_PROXY: optional(url(["http:", "https:"], { doc: "Likewise for https.", secret: true })),
  WORKSPACE_NO_PROXY: words("", {
    doc: "Hosts, domains and networks that workspaces reach without the proxy, for example `git.example.org,.corp.example.org,10.20.0.0/16`. Localhost always is.",
  }),
  WORKSPACE_EXTENSIONS_GALLERY: optional(
    gallery({
      doc: 'Where IDEs in workspaces find extensions in place of Open VSX, as code-server takes it in `EXTENSIONS_GALLERY`, for example `{"serviceUrl":"https://vsx.example.org/vscode/gallery","itemUrl":"https://vsx.example.org/vscode/item"}`. Its address must be the internet\'s or in WORKSPACE_ALLOWED_NETWORKS.',
    }),
  ),
  STOP_GRACE_SECONDS: whole(10, { from: 0 }, { doc: "How long a workspace may take to stop before it is forced." }),

  KUBERNETES_NAMESPACE: matching(
    DNS_LABEL,
    "a name of up to 63 lower-case letters, digits and dashes",
    "codehub-workspaces",
    { doc: "Namespace of the workspaces: one of their own, which no release owns. See kubernetes.md." },
  ),
  KUBERNETES_KUBECONFIG: optional(
    text("", {
      doc: "Kubeconfig file with which CodeHub outside of the cluster finds it; its current context is used. Without it, the pod's own service account. Workspaces are reached at the addresses of their pods, so those must be routed here.",
    }),
  ),
  KUBERNETES_SERVICE_HOST: optional(text("", { doc: "Set by the cluster in every pod: not to be set by hand." })),
  KUBERNETES_SERVICE_PORT: whole(443, { from: 1, to: 65_535 }, { doc: "Likewise." }),
  KUBERNETES_STORAGE_CLASS: optional(
    text("", {
      doc: "Storage class of new homes; without it the cluster's default. It must be able to attach a disk to any node that workspaces run on.",
    }),
  ),
  KUBERNETES_HOME_SIZE: bytes("10G", { doc: "Size of a new home." }),
  KUBERNETES_HOME_SIZE_MAX: bytes("50G", {
    doc: "The largest size that an owner may ask for; an administrator may give more. The storage class must allow volumes to grow.",
  }),
  KUBERNETES_ACCESS_MODE: oneOf(["ReadWriteOncePod", "ReadWriteOnce"], "ReadWriteOncePod", {
    doc: "Access mode of a home. ReadWriteOnce only where the storage driver cannot do the other: the cluster then lets two pods of one node use a disk, and CodeHub alone keeps them apart.",
  }),
  KUBERNETES_REQUEST_CPUS: decimal(
    0.1,
    { from: 0.01, to: 256 },
    { doc: "CPUs that are kept free for a workspace; WORKSPACE_CPUS is its limit." },
  ),
  KUBERNETES_REQUEST_MEMORY: bytes("512M", {
    doc: "Memory that is kept free for a workspace; WORKSPACE_MEMORY is its limit.",
  }),
  KUBERNETES_PULL_SECRETS: words("", {
    doc: "Names of Secrets in the workspaces' namespace with which images are pulled.",
  }),
  KUBERNETES_NODE_SELECTOR: labels({ doc: "Labels of the nodes that workspaces and jobs run on." }),
  KUBERNETES_TOLERATIONS: tolerations({ doc: "Taints of nodes that workspaces and jobs put up with." }),
  KUBERNETES_PRIORITY_CLASS: optional(text("", { doc: "Priority class of workspaces and jobs." })),
  KUBERNETES_WORKSPACE_COMMAND: matching(
    /^\s*\S+(\s+\S+)*\s*$/,
    "a program and its arguments, without quotes",
    "/bin/sh /opt/entrypoint.sh",
    {
      doc: "What a workspace's image runs, for starts that have something to do just before (keys, variables): the cluster does not tell it. The images that workspaces may use have to agree on it.",
    },
  ),
  KUBERNETES_SERVER_NAMESPACE: optional(
    matching(DNS_LABEL, "a name of up to 63 lower-case letters, digits and dashes", "", {
      doc: "Namespace that CodeHub's own pods run in, labelled `codehub/part: server`; workspaces let them in.",
    }),
  ),
  KUBERNETES_SERVER_NETWORKS: networks({
    doc: "Networks from which a CodeHub outside of the cluster reaches workspaces.",
  }),
  KUBERNETES_NETWORK_POLICIES: oneOf(["enforced", "unenforced"], "enforced", {
    doc: "Whether the cluster enforces network policies. CodeHub tries it with a pod, once a start and day, and starts no workspace where it does not; `unenforced` accepts that: workspaces then reach the cluster, its nodes and each other.",
  }),
  KUBERNETES_STORE_NETWORKS: networks({
    doc: "Networks of the object store. Storage jobs reach these and DNS, nothing else.",
  }),

  S3_ENDPOINT: optional(
    url(["http:", "https:"], { doc: "S3-compatible store; without S3_BUCKET archives lie in DATA_DIR." }),
  ),
  S3_REGION: text("us-east-1", { doc: "Region of the bucket." }),
  S3_BUCKET: optional(text("", { doc: "Bucket for archives." })),
  S3_ACCESS_KEY_ID: optional(text("", { doc: "Access key.", secret: true })),
  S3_SECRET_ACCESS_KEY: optional(text("", { doc: "Secret key.", secret: true })),
  S3_FORCE_PATH_STYLE: flag(true, { doc: "Address the bucket in the path instead of the host name." }),
  S3_CA_FILE: optional(text("", { doc: "Certificate authority of a private endpoint (PEM file)." })),

  LIMITS_MAX_RUNNING_PER_USER: whole(2, { from: 1 }, { doc: "Workspaces one user may have running." }),
  LIMITS_MAX_RUNNING_GLOBAL: whole(100, { from: 1 }, { doc: "Workspaces that may be running altogether." }),

  TTL_STANDBY_SECONDS: whole(
    600,
    { from: 0 },
    {
      doc: "A running workspace that nobody uses this long goes to standby; 0 is never.",
      inProduction: 10_800,
    },
  ),
  KEEP_AWAKE_MAX: whole(
    28_800,
    { from: 0, to: 86_400 },
    {
      doc: "Seconds a day that a workspace can be kept awake from its own page, where whatever runs in it can ask as well; 0 is never. Its owner's settings on the dashboard are not bound by it.",
    },
  ),
  TTL_ARCHIVE_SECONDS: whole(
    1800,
    { from: 0 },
    { doc: "A workspace in standby this long is archived; 0 is never.", inProduction: 86_400 },
  ),
  TRASH_RETENTION_SECONDS: whole(
    604_800,
    { from: 0 },
    { doc: "How long a deleted workspace or a discarded archive can be brought back." },
  ),
  ARCHIVE_KEEP_VERSIONS: whole(
    1,
    { from: 0, to: 100 },
    { doc: "Older verified archives kept beside the current one." },
  ),
  GC_MAX_PER_MINUTE: whole(
    200,
    { from: 1, to: 10_000 },
    {
      doc: "The most archives that garbage collection removes in a minute. Below 70 a fleet that lets go of 100,000 a day grows.",
    },
  ),
  USAGE_RETENTION_DAYS: whole(
    90,
    { from: 1, to: 3_650 },
    { doc: "How many days what workspaces used is kept: by the minute for the first of them, by the hour after that." },
  ),
  VOLUME_GRACE_SECONDS: whole(3600, { from: 0 }, { doc: "How long a volume stays after its home was archived." }),

  COORDINATOR_IDLE_INTERVAL: seconds(15, "Seconds between polls when nothing happens."),
  COORDINATOR_ACTIVE_INTERVAL: seconds(1, "Seconds between polls while something converges and shortly after."),
  RECONCILER_MAX_RETRIES: whole(
    3,
    { from: 1, to: 100 },
    { doc: "Failed attempts of an operation before it is an error that needs a person." },
  ),
  RECONCILER_RETRY_BACKOFF: whole(
    0,
    { from: 0 },
    { doc: "Least seconds between two attempts; the backoff itself goes from 1 s to 5 min." },
  ),
  RECONCILER_PROVISIONING_TIMEOUT: seconds(300, "Seconds until creating a home is given up."),
  RECONCILER_CREATE_EMPTY_ARCHIVE_TIMEOUT: seconds(300, "Seconds until an empty archive is given up."),
  RECONCILER_PREPARING_TIMEOUT: seconds(1800, "Seconds without progress until getting a repository is given up."),
  RECONCILER_STARTING_TIMEOUT: seconds(300, "Seconds until a start is given up."),
  RECONCILER_STOPPING_TIMEOUT: seconds(300, "Seconds until a stop is given up."),
  RECONCILER_DISCARDING_TIMEOUT: seconds(300, "Seconds until discarding an archive is given up."),
  RECONCILER_DELETING_TIMEOUT: seconds(300, "Seconds until a deletion step is given up."),
  RECONCILER_ARCHIVING_TIMEOUT: seconds(1800, "Seconds without progress until an archiving is given up."),
  RECONCILER_RESTORING_TIMEOUT: seconds(1800, "Seconds without progress until a restore is given up."),

  // The same names that the API allows, where a test compares the two.
  ADMIN_USERNAME: matching(
    /^[a-z0-9][a-z0-9._-]{1,39}$/,
    "2 to 40 lower-case letters, digits, dots, dashes and underscores, a letter or digit first",
    "admin",
    { doc: "Name of the first admin, made at first start." },
  ),
  ADMIN_PASSWORD: optional(
    text("", { doc: "Password of the first admin; without it one is generated and shown once.", secret: true }),
  ),
} as const;

export type VariableName = keyof typeof VARIABLES;

type Value<V> = V extends Variable<infer T> ? T : never;
export type Values = { readonly [N in VariableName]: Value<(typeof VARIABLES)[N]> };

import type { Text } from "./catalogue.ts";
import { type Fields, lookUp, say } from "./say.ts";
import { datedVoice } from "./voice.ts";

/** What the doctor found, and what to do about it; nothing where nothing needs to be done. For operators, who know the names. */
interface FindingWords {
  readonly found: Text;
  readonly cure?: Text;
}

const EVERYWHERE = "Set the same variables for every process of the deployment.";

export const findings: Readonly<Record<string, FindingWords>> = {
  needs_database: { found: "Not looked at: the database has to answer first." },
  needs_engine: { found: "Not looked at: the engine has to answer first." },
  needs_configuration: { found: "Not looked at: the configuration has to be valid first." },
  not_looked: { found: "Looking failed: {said}", cure: "See the server's log for more." },

  configuration_ok: { found: "The configuration is valid." },
  configuration_wrong: { found: "{said}", cure: `Change the variable. ${EVERYWHERE}` },
  configuration_doubtful: { found: "{said}" },

  database_ok: { found: "PostgreSQL {major} answers, with the schema of this release ({applied})." },
  database_embedded_ok: {
    found: "The embedded PostgreSQL {major} answers, with the schema of this release ({applied}).",
  },
  database_none_yet: { found: "There is no embedded database in {directory} yet; the first start creates it." },
  database_empty: { found: "PostgreSQL {major} answers; the database is empty, and the first start fills it." },
  database_behind: {
    found: "PostgreSQL {major} answers with schema {applied}; this release has {known}.",
    cure: "Back up the database, then start this release: it migrates by itself.",
  },
  database_refused: {
    found: "Nobody listens where DATABASE_URL says that PostgreSQL is: {said}.",
    cure: "Start PostgreSQL, or correct host and port in DATABASE_URL.",
  },
  database_no_host: {
    found: "The host in DATABASE_URL is not known: {said}.",
    cure: "Correct the host in DATABASE_URL, or the name server of this machine.",
  },
  database_password: {
    found: "PostgreSQL does not let the login of DATABASE_URL in: {said}.",
    cure: "Correct user and password in DATABASE_URL, or let the user in in pg_hba.conf.",
  },
  database_missing: {
    found: "PostgreSQL has no such database: {said}.",
    cure: "Create it (CREATE DATABASE name OWNER login;), or correct its name in DATABASE_URL.",
  },
  database_failed: { found: "PostgreSQL cannot be used: {said}.", cure: "Correct DATABASE_URL, or repair the server." },
  database_embedded_failed: {
    found: "The embedded PostgreSQL cannot be used: {said}.",
    cure: "See postgres.log in DATA_DIR/postgres. Run this command as the user who runs CodeHub.",
  },
  database_old: {
    found: "The server in DATABASE_URL is PostgreSQL {major}; 14 or newer is needed.",
    cure: "Upgrade PostgreSQL, or let DATABASE_URL lead to a newer one.",
  },
  database_schema: {
    found: "{said}.",
    cure: "Start the release that used this database last, restore a backup of before, or use the login that owns the tables.",
  },

  roles_ok: { found: "The login can become both roles that CodeHub writes as." },
  roles_made_at_start: { found: "The roles {roles} are not there yet; the login may create them at the first start." },
  roles_missing: {
    found: "The login {login} can neither become nor create the roles {roles}, as which CodeHub writes.",
    cure: "As a database administrator: CREATE ROLE codehub_api NOLOGIN; CREATE ROLE codehub_coordinator NOLOGIN; GRANT codehub_api, codehub_coordinator TO {login};",
  },
  roles_pooled: {
    found: "DATABASE_URL leads through a connection pooler, which shares sessions among clients.",
    cure: "Let DATABASE_URL lead to PostgreSQL itself: roles and leadership belong to a session.",
  },

  secrets_ok: { found: "The keys for people's secrets are in {path}." },
  secrets_none_yet: { found: "There are no keys for people's secrets yet; the next start creates {path}." },
  secrets_none: {
    found: "There are no keys for people's secrets, so nobody can save an SSH key, a credential or a secret.",
    cure: "Give every server of the deployment the same file and name it in SECRETS_KEY_FILE: docs/operating/secrets.md.",
  },
  secrets_unreadable: {
    found: "{said}.",
    cure: "Put the file back from its backup, readable for CodeHub's user only.",
  },
  secrets_missing: {
    found: "{path} does not have these keys, so what they sealed stays closed and workspaces start without it: {keys}.",
    cure: "Put the keys back from the backup of the file. If they are lost, people save their secrets again.",
  },
  secrets_different: {
    found: "These keys in {path} are others than those that sealed under the same name: {keys}.",
    cure: "Put the right file back, or give the new keys other names.",
  },
  secrets_open: {
    found: "Everybody on this machine can read {path}, with which people's secrets can be opened.",
    cure: "chmod 600 {path}, and codehub secrets rotate if somebody may have read it.",
  },

  clocks_ok: { found: "The clocks of the database and this machine agree." },
  clocks_database_ahead: {
    found: "The database's clock is {apart_ms:span} ahead of this machine's.",
    cure: "Let both machines keep time by NTP (timedatectl set-ntp true).",
  },
  clocks_database_behind: {
    found: "The database's clock is {apart_ms:span} behind this machine's.",
    cure: "Let both machines keep time by NTP (timedatectl set-ntp true).",
  },

  redis_not_configured: { found: "Not configured: processes hear each other through the database." },
  redis_ok: { found: "Redis answers." },
  redis_denied: { found: "Redis does not let us in: {said}.", cure: "Correct user and password in REDIS_URL." },
  redis_failed: {
    found: "Redis does not answer: {said}. Everything works without it, more slowly.",
    cure: "Start Redis, correct REDIS_URL, or leave REDIS_URL out.",
  },

  store_ok: { found: "A small object was written to {place}, read and removed." },
  store_new: {
    found: "A small object was written to {place}, read and removed. It is empty; the first start binds it.",
  },
  store_denied_directory: {
    found: "Archives cannot be written to {place}: {said}.",
    cure: "Give the directory to the user who runs CodeHub (chown), or run this command as that user.",
  },
  store_read_only: {
    found: "The file system of {place} is read-only: {said}.",
    cure: "Look into the kernel's log for why (often a failing disk), repair it and mount it writable.",
  },
  store_full: { found: "The disk of {place} is full: {said}.", cure: "Free some space." },
  store_failed: {
    found: "The archive directory {place} cannot be used: {said}.",
    cure: "Repair it, or correct DATA_DIR.",
  },
  store_no_bucket: {
    found: "The store has no bucket {place}: {said}.",
    cure: "Create the bucket, or correct S3_BUCKET.",
  },
  store_denied: {
    found: "The store does not let us write, read and remove in {place}: {said}.",
    cure: "Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give that key the rights to get, put, list and delete objects.",
  },
  store_unreachable: {
    found: "The store with the bucket {place} cannot be used: {said}.",
    cure: "Start the store, or correct S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE and S3_CA_FILE.",
  },
  store_of_others: {
    found: "{place} belongs to another CodeHub deployment.",
    cure: "Correct S3_BUCKET or DATA_DIR: two deployments never share a store.",
  },
  store_other: {
    found: "{place} is another store than the one this deployment uses. Nothing is planned until that one is back.",
    cure: "Correct S3_BUCKET or DATA_DIR; or, if the archives were copied here for good, codehub move.",
  },
  store_empty: {
    found: "{place} is empty, but this deployment has a store. Often it is a disk that is not mounted.",
    cure: "Mount the disk or correct S3_BUCKET or DATA_DIR; or, if the archives were copied here for good, codehub move.",
  },
  store_ahead: {
    found:
      "{place} is newer than the database, which therefore comes from an older backup. Nothing is removed until an administrator resumes it.",
    cure: "See docs/operating/backup.md, then resume garbage collection on the admin page.",
  },
  store_quarantined: {
    found: "Garbage collection is paused: {said}.",
    cure: "See docs/operating/backup.md, then resume it on the admin page.",
  },

  engine_ok: { found: "The Docker engine at {place} answers." },
  engine_no_socket: {
    found: "There is no Docker engine at {place}: {said}.",
    cure: "Start Docker (systemctl start docker), or correct DOCKER_HOST.",
  },
  engine_denied: {
    found: "This user may not use the Docker engine at {place}: {said}.",
    cure: "Add the user to the group of the socket (usermod -aG docker USER) and start CodeHub anew. That group is as powerful as root.",
  },
  engine_down: {
    found: "The Docker engine at {place} does not answer: {said}. No workspace can start.",
    cure: "Start Docker (systemctl start docker), or correct DOCKER_HOST.",
  },
  engine_failed: {
    found: "The Docker engine at {place} cannot be used: {said}. No workspace can start.",
    cure: "See the engine's own log (journalctl -u docker), or correct DOCKER_HOST and DOCKER_CERT_PATH.",
  },
  engine_other: {
    found: "The engine at {place} is another one than this deployment uses. Nothing is planned until that one is back.",
    cure: "Correct DOCKER_HOST, DATA_DIR or KUBERNETES_NAMESPACE; or codehub move, if this engine is to be used from now on.",
  },
  engine_other_kind: {
    found: "RUNTIME is {kind}, but this deployment has its workspaces on {bound}.",
    cure: "Set RUNTIME={bound}; or codehub move, if {kind} is to be used from now on.",
  },
  process_ok: { found: "Workspaces run as processes of this machine, each owner's under a user of its own." },
  process_single_user: {
    found: "Workspaces run as processes of the user who runs CodeHub: only one person's can be started.",
    cure: "Run CodeHub as root, so that every owner has a user of its own, or set RUNTIME=docker.",
  },
  process_failed: { found: "Processes cannot be used for workspaces: {said}.", cure: "Correct DATA_DIR ({place})." },
  cluster_ok: { found: "The cluster answers, and its namespace {place} is there." },
  cluster_failed: {
    found: "The cluster cannot be used: {said}. No workspace can start.",
    cure: "Correct KUBERNETES_KUBECONFIG and KUBERNETES_NAMESPACE ({place}), or apply what codehub kubernetes print prints.",
  },

  images_ok: { found: "All images that are configured are on the engine." },
  images_not_needed: { found: "Workspaces run as processes and need no image." },
  images_by_cluster: { found: "The cluster's nodes pull images themselves." },
  job_image_missing: {
    found:
      "The image {image}, which archives and restores homes, is not on the engine. No workspace can start without it.",
    cure: "docker build -t {image} -f deploy/images/job/Dockerfile . (from the sources of this release), or set JOB_IMAGE.",
  },
  job_image_other: {
    found:
      "The image {image} is of another release (protocol {spoken}, not {expected}): no home can be archived or restored.",
    cure: "docker build -t {image} -f deploy/images/job/Dockerfile . from the sources of this release.",
  },
  default_image_missing: {
    found: "The image {image} of new workspaces is not on the engine; the first start has to pull it.",
    cure: "docker pull {image} or docker build -t {image} deploy/images/workspace, or set DEFAULT_IMAGE.",
  },
  allowed_image_missing: {
    found: "The image {image} may be chosen and is not on the engine; a start has to pull it.",
    cure: "docker pull {image}, or take it out of IMAGE_ALLOWLIST.",
  },

  firewall_ok: { found: "The rules that keep workspaces apart are in place on the engine's host." },
  firewall_later: { found: "Not looked at: it needs the job image, and a deployment that was started once." },
  firewall_none: { found: "Processes of this machine share its network: for people you trust with it." },
  firewall_failed: {
    found: "The rules that keep workspaces apart could not be set: {said}. No workspace can start.",
    cure: "The engine's host needs nf_tables (modprobe nf_tables), and the engine must let a container have NET_ADMIN.",
  },
  policies_ok: { found: "The network policies that keep workspaces apart are in the namespace." },
  policies_lack: { found: "{said}." },
  policies_failed: { found: "{said}.", cure: "Apply what codehub kubernetes print prints, or install the chart." },

  dns_ok: { found: "{host} is found." },
  dns_local: {
    found: "Dashboard and workspaces are at localhost, which browsers find by themselves: for this machine only.",
  },
  dns_forgotten: {
    found: "The dashboard is at {host}, but workspaces are at localhost, where nobody else can open them.",
    cure: "Set WORKSPACE_BASE_URL, for example {example}, and let every name below its domain lead to this server.",
  },
  dns_no_base: {
    found: "The name {host} of BASE_URL is not found from here.",
    cure: "Add a DNS record for it that leads to this server or its reverse proxy.",
  },
  dns_no_wildcard: {
    found: "The name {host} of WORKSPACE_BASE_URL is not found from here: no workspace can be opened.",
    cure: "Add a wildcard DNS record {host} that leads to this server or its reverse proxy.",
  },

  disk_ok: { found: "{free_mib} MiB are free in {directory}." },
  disk_low: {
    found: "Only {free_mib} MiB are free in {directory}; below {least_mib} MiB no workspace starts.",
    cure: "Free some space or enlarge the disk before it is full.",
  },
  disk_full: {
    found:
      "Only {free_mib} MiB are free in {directory}, less than the {least_mib} MiB below which no workspace starts.",
    cure: "Free some space or enlarge the disk; it goes on by itself.",
  },

  descriptors_ok: { found: "A process may have {limit} descriptors open." },
  descriptors_few: {
    found: "A process may have only {limit} descriptors open: the proxy lets {clients} connections in.",
    cure: "Raise the limit to 65536: LimitNOFILE= of systemd, --ulimit nofile= of Docker, or ulimit -n before the start.",
  },
};

/** A finding in words; of a code that is not known, the code. */
export function findingText({ code, fields }: { readonly code: string; readonly fields: Fields }): {
  readonly found: string;
  readonly cure: string | null;
} {
  const words = lookUp(findings, code);
  const cure = words?.cure === undefined ? null : say(words.cure, fields, datedVoice);
  return { found: say(words?.found, fields, datedVoice) ?? code, cure };
}

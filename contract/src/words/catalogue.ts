import type { Lack } from "../account.ts";
import type { CacheId } from "../space.ts";
import type { ErrorReason, Operation, Phase, Workspace } from "../workspace.ts";
import type { Forms } from "./span.ts";

/**
 * A sentence with {placeholders}, each filled from the fields beside the code; what stands after a colon says how a
 * field is said (see say.ts). Two forms where a `count` decides. Several: the first of which every field is known.
 */
export type Text = string | Forms | readonly string[];

interface PhaseWords {
  readonly word: string;
  /** In a row of the list. */
  readonly meaning: string;
  /** After "Running since 14:02:". */
  readonly because: string;
}

interface OperationWords {
  /** Beside the dot. */
  readonly word: string;
  readonly doing: string;
  readonly noun: string;
  /** What happens inside, in order. */
  readonly steps: readonly string[];
}

interface ErrorWords {
  readonly title: string;
  readonly remedy: string;
}

interface CacheWords {
  /** After "the cache of". */
  readonly name: string;
  /** What is in it, and what it means that it is gone. */
  readonly means: string;
}

interface Catalogue {
  readonly phases: Readonly<Record<Phase, PhaseWords>>;
  /** What is requested, after "to be". */
  readonly states: Readonly<Record<Workspace["desired_state"], string>>;
  readonly operations: Readonly<Record<Exclude<Operation, "NONE">, OperationWords>>;
  readonly errors: Readonly<Record<ErrorReason, ErrorWords>>;
  /** What went wrong, by the code beside the error's reason. */
  readonly failures: Readonly<Record<string, Text>>;
  /** In the order people ask: is it well, is my home there, does it run. */
  readonly conditions: Readonly<Record<string, string>>;
  /** By reason, or by condition and reason, or by reason and part. */
  readonly conditionReasons: Readonly<Record<string, Text>>;
  readonly blockers: Readonly<Record<string, Text>>;
  /** Why a container ended, after "because". */
  readonly ended: Readonly<Record<string, string>>;
  /** What a start waits for, by code; since when is said beside it. */
  readonly waiting: Readonly<Record<string, Text>>;
  /** By kind, or by kind and code. */
  readonly events: Readonly<Record<string, Text>>;
  readonly requests: Readonly<Record<string, string>>;
  readonly actors: Readonly<Record<string, string>>;
  readonly next: Readonly<Record<string, Text>>;
  /** The same where there is no room for more, by kind. */
  readonly nextShort: Readonly<Record<string, string>>;
  /** What it is doing, in a row of the list. */
  readonly now: Readonly<Record<string, Text>>;
  readonly explain: Readonly<Record<string, Text>>;
  readonly safety: Readonly<Record<string, Text>>;
  /** What workspaces do without on this machine. */
  readonly lacks: Readonly<Record<Lack, string>>;
  /** What programs keep in a home and can do without. */
  readonly caches: Readonly<Record<CacheId, CacheWords>>;
  /** Why an address is not taken, by code. */
  readonly repository: Readonly<Record<string, Text>>;
  /** Why a repository could not be fetched, or not all of it. */
  readonly clone: Readonly<Record<string, Text>>;
  /** What a test of a key found beyond that. */
  readonly keyTest: Readonly<Record<string, Text>>;
  /** What of a devcontainer.json is not as its author meant it. */
  readonly setup: Readonly<Record<string, Text>>;
}

const TAKEN_AWAY = "Went to standby because {code:ended}";

/**
 * Every sentence about what a workspace is, did and will do, once: for the dashboard, and for whoever reads the API
 * with curl. Nothing is decided by these words: what means something travels as codes and fields.
 */
export const catalogue: Catalogue = {
  phases: {
    PENDING: {
      word: "Empty",
      meaning: "No home yet; opening creates one",
      because: "there is neither a volume nor an archive",
    },
    ARCHIVED: {
      word: "Archived",
      meaning: "Rests in a verified archive",
      because: "the home is in an archive and on no volume",
    },
    STANDBY: {
      word: "Standby",
      meaning: "Home on disk, nothing runs",
      because: "the home is on a volume and no container answers",
    },
    RUNNING: {
      word: "Running",
      meaning: "The IDE is up",
      because: "the container answers and the home is on its volume",
    },
    ERROR: {
      word: "Error",
      meaning: "Something needs you",
      because: "something is wrong that needs a person or has to go away",
    },
    DELETING: {
      word: "Deleting",
      meaning: "On its way to the trash",
      because: "it was deleted and its container, volume or last copy are still being dealt with",
    },
    DELETED: { word: "Deleted", meaning: "In the trash", because: "it was deleted" },
  },

  states: {
    RUNNING: "running",
    STANDBY: "on standby",
    ARCHIVED: "archived",
    PENDING: "emptied",
    DELETED: "deleted",
  },

  operations: {
    PROVISIONING: {
      word: "Preparing",
      doing: "Preparing a home",
      noun: "Prepare a home",
      steps: ["Create a new volume", "Write its identity and check it"],
    },
    RESTORING: {
      word: "Restoring",
      doing: "Restoring the home",
      noun: "Restore the home",
      steps: [
        "Check the archive and the free space",
        "Unpack into a new volume",
        "Compare every file with the manifest",
      ],
    },
    PREPARING: {
      word: "Preparing",
      doing: "Getting the repository",
      noun: "Get the repository",
      steps: ["Ask what is to be had", "Clone it", "Check it out", "Get what belongs to it", "Look for its own set-up"],
    },
    STARTING: {
      word: "Starting",
      doing: "Starting",
      noun: "Start",
      steps: ["Remove leftovers", "Start the container with the home", "Wait until the IDE answers"],
    },
    STOPPING: {
      word: "Stopping",
      doing: "Stopping",
      noun: "Stop",
      steps: ["Ask the container to end", "Confirm that nothing uses the home"],
    },
    ARCHIVING: {
      word: "Archiving",
      doing: "Archiving the home",
      noun: "Archive the home",
      steps: [
        "Pack and upload the home",
        "Read it back and compare",
        "Let the archive be the home; keep the volume a while longer",
      ],
    },
    CREATE_EMPTY_ARCHIVE: {
      word: "Preparing",
      doing: "Creating an empty archive",
      noun: "Create an empty archive",
      steps: ["Write an empty archive", "Read it back"],
    },
    DISCARDING: {
      word: "Emptying",
      doing: "Emptying the home",
      noun: "Empty the home",
      steps: ["Move the archive to the trash"],
    },
    DELETING: {
      word: "Deleting",
      doing: "Deleting",
      noun: "Delete",
      steps: ["Confirm that no container is left", "Let go of the home"],
    },
  },

  errors: {
    Timeout: {
      title: "It took too long and was stopped",
      remedy: "There was no progress for too long, so the operation was ended. Recover tries it again.",
    },
    RetryExceeded: {
      title: "It failed several times in a row",
      remedy: "The same step failed several times. Look at the message, remove the cause, then recover.",
    },
    ActionFailed: {
      title: "An attempt failed",
      remedy: "Look at the message and the logs, remove the cause, then recover.",
    },
    DataLost: {
      title: "The volume with the home is gone",
      remedy:
        "The volume with the home is gone. Bring it back and the error clears by itself, or recover: restore an archive, or start with an empty home.",
    },
    Unreachable: {
      title: "The engine or the store cannot be reached",
      remedy: "The engine or the store cannot be reached. It is tried again by itself until it answers.",
    },
    ImagePullFailed: {
      title: "The image could not be pulled",
      remedy: "The image could not be pulled. Choose another image or make this one available, then recover.",
    },
    ContainerWithoutVolume: {
      title: "A container runs without its home",
      remedy: "A container runs without its volume. Recover removes the container; the volume must come back.",
    },
    ArchiveCorrupted: {
      title: "The archive does not match its checksum",
      remedy: "The archive does not match its checksum. Recover with an older version of the archive.",
    },
    ArchiveAccessError: {
      title: "The archive cannot be read",
      remedy:
        "The archive with the home cannot be read. When it can be read again the error clears by itself; or recover with an older version.",
    },
    DiskFull: {
      title: "The disk is full",
      remedy:
        "The disk that holds the homes is nearly full. An administrator has to make room; then it goes on by itself.",
    },
  },

  failures: {
    volume_lost: "The volume with the home was looked for twice and not found. Nothing is created in its place.",
    container_without_volume: "A container runs, but the volume with its home is gone.",
    archive_missing: "The archive with the home is not in the store.",
    archive_without_marker: "The archive with the home has no commit marker in the store.",
    archive_size: "The archive with the home has {found_bytes} bytes instead of {expected_bytes}.",
    container_keeps_ending: {
      one: "The container ended once within 10 minutes. Its last lines:",
      other: "The container ended {count} times within 10 minutes. Its last lines:",
    },
    no_volume: "There is no volume to work with.",
    no_source: "There is no repository to get.",
    no_archive: "There is no archive to restore from.",
    no_archive_record: "There is no record of the archive.",
    foreign_volume: "The volume does not carry this workspace's identity; it is left alone.",
    volume_exists: "A volume of this attempt's name exists already; the next attempt uses another name.",
    volume_missing: "The volume is not there.",
    archive_incomplete: "The archive is not complete in the store.",
    container_stays: "A container did not go away.",
    container_present: "A container is still there.",
    container_vanished: "The container disappeared while it was starting.",
    container_foreign: "The container that answers is not the one that was started.",
    container_ended: [
      "The container ended while it was starting, because {ended:ended}.",
      "The container ended while it was starting, with exit code {exit_code}.",
      "The container ended while it was starting.",
    ],
    start_given_up: "The start was given up.",
    disk_full: "Only {free_mib} MiB are free where homes are kept. Free some space; it goes on by itself.",
    home_size_fixed: "Homes have no size of their own here.",
    home_size_refused:
      "The cluster refused. The storage class must allow volumes to grow, and the quota must have room.",
    node_answers: "The cluster hears from the node {node}. Drain it, or switch it off first.",
    no_other_machines: "Containers of this deployment run on the engine's own machine only.",
    no_progress: "There was no progress for {limit_ms:span}.",
    too_long: "It took longer than {limit_ms:span}.",
    job_image_version:
      "The image that archives and restores homes is not the one of this release. The home was left as it was. An administrator has to build it anew on the engine, from the sources of this release: docker build -t {image} -f deploy/images/job/Dockerfile .",
    job_image_missing:
      "The image that archives and restores homes is not on the engine. An administrator has to build it there, from the sources of this release: docker build -t {image} -f deploy/images/job/Dockerfile .",
    image_missing: "The image {image} is not on the engine. An administrator has to build or pull it there.",
    job_files_version:
      "The program that archives and restores homes was replaced while this server runs. The home was left as it was. An administrator has to restart CodeHub.",
    job_still_runs: "A job of this attempt still runs.",
    engine_down: ["The engine does not answer. {said}", "The engine does not answer."],
    store_down: ["The archive store does not answer. {said}", "The archive store does not answer."],
    engine_not_asked: "The engine was not asked yet.",
    store_not_asked: "The archive store was not asked yet.",
    foreign_engine:
      "Another engine answers than the one this deployment was started with. Nothing is planned until that one is back.",
    foreign_store:
      "Another archive store answers than the one this deployment was started with. Nothing is planned until that one is back.",
  },

  conditions: {
    "policy.healthy": "Healthy",
    "storage.volume_ready": "Home on disk",
    "storage.archive_ready": "Archive readable",
    "infra.container_present": "Container present",
    "infra.container_ready": "IDE answers",
  },

  conditionReasons: {
    NoVolume: "The home is on no volume.",
    VolumeFound: "The volume with the home is there.",
    VolumeMissing: "The volume with the home was not found.",
    VolumeMissingOnce: "The volume with the home was not found. Looking again before believing it.",
    VolumeUnknown: "It cannot be seen whether the volume is there.",
    NoArchive: "There is no archive.",
    ArchiveUnchecked: "Not looked at yet.",
    ArchiveUnreachable: "It cannot be seen whether the archive is there.",
    ArchiveUploaded: "The archive was read back when it was written, and is there.",
    EngineUnreachable: "It cannot be seen which containers are there.",
    ContainerRunning: "The container answered and runs.",
    ContainerExited: ["The container ended because {ended:ended}.", "The container ended."],
    "infra.container_ready NoContainer": "No container runs.",
    "infra.container_present NoContainer": "No container belongs to this workspace.",
    ContainerFound: {
      one: "{count} container belongs to this workspace.",
      other: "{count} containers belong to this workspace.",
    },
    NodeSilent:
      "The container is on the node {node}, which the cluster does not hear from. It may still run there and write to the home, so nothing else may use the home. This ends when the node comes back, or when an administrator says that it is off for good.",
    Healthy: "Nothing is wrong.",
    Operating: "An operation is under way.",
    Recovered: "A person looked at the error.",
  },

  blockers: {
    retry: "It is tried again {at:upcoming}.",
    unknown: "“{condition:condition}” is unknown since {since:time}.",
    error: "The workspace is in error.",
    store_must_answer: "The archive store has to answer again; nothing else needs to be done.",
    engine_must_answer: "The engine has to answer again; nothing else needs to be done.",
  },

  ended: {
    drained: "the cluster took it off its node, which is being emptied or does not answer",
    evicted: "its node ran short of memory or disk and the cluster took it away",
    preempted: "the cluster needed its place for something that goes first",
    node_gone: "the node it ran on went away",
    out_of_memory: "it used more memory than it may",
    not_startable: "its program could not be started",
    init_failed: "the command that has to run before the IDE did not end well",
    exited: "its program ended by itself",
  },

  waiting: {
    scheduling: "The cluster is choosing a node for it",
    no_node: "No node of the cluster can take it yet",
    attaching: "Its disk is being connected to the node",
    disk_elsewhere: "Its disk is still attached to another node",
    disk_refused: "Its disk cannot be used on the node yet",
    pulling: "The image of the workspace is being pulled",
    installing: "The IDE is being installed, once for all workspaces",
    preparing: "Its container is being prepared",
    answering: "The container runs; the IDE does not answer yet",
    resolving: "Asking {host} for {repository}",
    cloning: ["Cloning {repository}: {percent} %", "Cloning {repository}"],
    checking_out: ["Writing the files: {percent} %", "Writing the files"],
    submodules: "Getting its submodules",
    lfs: "Getting its large files",
    dotfiles: "Getting your dotfiles",
    reading: "Reading its own set-up",
  },

  events: {
    created: ["Created, to be {to:state}", "Created"],
    wish: "Requested to be {to:state}",
    wake: "Visited, so it was requested to run",
    awake: "Kept awake until {until:time}, asked for in the workspace itself",
    "idle inactive": "Went to standby because idle since {since:time}",
    "idle in_standby": "Went to the archive because on standby since {since:time}",
    reset: "Requested to empty the home",
    "delete trashed": "Moved to the trash",
    "delete purged": "Deleted for good",
    "delete already_deleted": "Requested to be deleted once more",
    undelete: "Restored from the trash",
    "repository repository_wanted": "Requested to get {repository} into the home",
    "repository commands_allowed": "Agreed to the commands of {repository}",
    "repository repository_skipped": "Requested to open without waiting for {repository}",
    edited: "Settings changed",
    moved: "Address changed from {left} to {taken}",
    "request restart": "Requested to restart",
    "request verify_archive": "Requested a restore test",
    "request use_archive": "Requested to use another archive",
    "request restore_archive": "Requested to restore an archive",
    "request start_empty": "Requested to start with an empty home",
    "request recover": "Requested to recover",
    "request grow_home": "Requested a home of {bytes} bytes",
    "request node_off": "Declared the node {node} off for good",
    "request_answered not_applicable":
      "Nothing was done: this request does not apply to a workspace that is {phase:phase_inside}",
    "request_answered error_cleared": "The error was cleared by a person",
    "request_answered archive_replaces_lost_home": "An older archive replaces the lost home",
    "request_answered archive_chosen": "Another version of the archive is used",
    "request_answered empty_home_replaces_lost_home": "An empty home replaces the lost one",
    "request_answered nothing_to_restart": "Nothing runs, so there was nothing to restart",
    operation_started: "{operation:doing} began",
    "operation_started restart_requested": "{operation:doing} began, to restart",
    "operation_started leftover_container": "{operation:doing} began, because a container was left on the volume",
    "operation_started due_before": "{operation:doing} began, which is due before: {after:noun_inside}",
    "operation_started deleted_stop_first": "{operation:doing} began, because it was deleted",
    "operation_started deleted_last_copy": "{operation:doing} began, for a last copy before it is deleted",
    "operation_started purged": "{operation:doing} began, because it was deleted for good",
    "operation_started undo_over": "{operation:doing} began, because its time in the trash is over",
    operation_completed: [
      "{to:phase}: {operation:noun_inside} done, took {duration_ms:took}",
      "{to:phase}: {operation:noun_inside} done",
      "{operation:noun} done",
    ],
    operation_superseded: [
      "{operation:noun} ended with nothing changed, because it is no longer requested",
      "An operation ended with nothing changed, because it is no longer requested",
    ],
    operation_taken_over: "A new leader took the operation over",
    attempt_failed: [
      "{operation:noun} failed. {code:error}: {failure}",
      "{operation:noun} failed. {code:error}",
      "{code:error}: {failure}",
    ],
    error: ["{code:error}: {failure}", "{code:error}"],
    taken_away: "Went to standby because the container was taken away",
    "taken_away drained": TAKEN_AWAY,
    "taken_away evicted": TAKEN_AWAY,
    "taken_away preempted": TAKEN_AWAY,
    "taken_away node_gone": TAKEN_AWAY,
    phase_changed: [
      "Seen as {to:phase_inside}, because {ended:ended} (exit code {exit_code})",
      "Seen as {to:phase_inside}, because {ended:ended}",
      "Seen as {to:phase_inside}",
    ],
    volume_removed: "The volume that was no longer needed was removed",
    archive_given_up: "An archive that nothing protects any more was given up",
    restore_test_passed: "The restore test passed",
    restore_test_failed: ["The restore test failed: {failure}", "The restore test failed"],
    container_given_up: "The container on the node {node} was given up, by an administrator's word",
    container_not_given_up: [
      "The container on the node {node} stays: {failure}",
      "The container on the node {node} stays",
    ],
    home_grown: "The size of the home is {bytes} bytes now, at its next start at the latest",
    home_not_grown: ["The home stays as large as it was: {failure}", "The home stays as large as it was"],
    expired: "The time for restoring it from the trash is over",
    "port_shared users": [
      "Port {port} shared with everybody who is signed in, until {until:time}",
      "Port {port} shared with everybody who is signed in",
    ],
    "port_shared public": [
      "Port {port} shared with everybody who has its address, until {until:time}",
      "Port {port} shared with everybody who has its address",
    ],
    port_closed: "Port {port} no longer shared",
    cache_emptied: [
      "The cache of {cache:cache} was emptied: {freed_bytes} bytes freed",
      "The cache of {cache:cache} was emptied",
    ],
    "cache_emptied in_part": [
      "The cache of {cache:cache} was emptied in part: {freed_bytes} bytes freed",
      "The cache of {cache:cache} was emptied in part",
    ],
    opened: ["Port {port} opened in a browser", "Opened in a browser"],
    open_refused: "A link to open it was used where it does not fit",
    login: "Signed in",
    logout: "Signed out",
    logout_everywhere: "Every session was ended",
    session_ended: "A session of {username} was ended",
    access_ended: "Every session and API token of {username} was ended",
    login_failed: "A sign-in failed: wrong name or password",
    login_throttled: "A sign-in was refused: too many attempts",
    login_refused: "A sign-in was refused: the account is disabled",
    "engine_given_up archive":
      "The engine with the home was given up by an operator; the home is the archive of {archived_at:time} now",
    "engine_given_up lost": "The engine with the home was given up by an operator, and there is no archive",
    "engine_given_up nothing_there": "The engine it was on was given up by an operator",
    "archives_adopted newest_is_home": "A newer archive was found in the store after a restore, and is the home now",
    "archives_adopted as_versions": "Newer archives were found in the store after a restore",
    database_restored: "The database was restored from a backup of {taken_at:time}",
    deployment_moved: "The deployment was moved from {left} to {bound}",
    audit_downloaded: "The audit log was downloaded",
    usage_downloaded: "What everybody used was downloaded",
    gc_resumed: "Garbage collection was resumed",
    user_created: "{username} was created",
    password_changed: "The password of {username} was changed",
    role_changed: "{username} is now {role}",
    limit_changed: [
      "{username} may have {limit} workspaces running",
      "{username} may have as many workspaces running as everybody",
    ],
    user_deleted: "{username} was deleted",
    given: "It belonged to {giver}, who was deleted, and was given to {receiver}",
    user_disabled: "{username} was disabled",
    user_enabled: "{username} was enabled",
    token_created: 'The API token "{name}" was created',
    token_revoked: 'The API token "{name}" was revoked',
    git_settings_changed: "Name and e-mail for git, or the dotfiles, were changed",
    ssh_key_made: "A new SSH key was created",
    ssh_key_deleted: "The SSH key was deleted",
    credential_saved: "The credential for {host} was saved",
    credential_deleted: "The credential for {host} was deleted",
    ssh_key_tested: "The SSH key was tried on {host}",
    credential_tested: "The credential for {host} was tried",
    variable_saved: "The variable {name} was saved",
    variable_deleted: "The variable {name} was deleted",
    keys_deleted: "{username}'s keys, credentials, variables and secrets were deleted",
  },

  requests: {
    restart: "A restart",
    verify_archive: "A restore test",
    restore_archive: "Another archive",
    use_archive: "Another archive",
    start_empty: "An empty home",
    recover: "Recovery",
    node_off: "To give up a container",
    grow_home: "A larger home",
  },

  actors: {
    ttl: "idle timer",
    coordinator: "coordinator",
    proxy: "proxy",
    system: "system",
    user: "user",
    admin: "administrator",
  },

  next: {
    operation_running: ["{operation:doing}, since {since:time}.", "{operation:doing}."],
    request_next: "{request:request} was requested and begins with the next look at the workspace.",
    look_at_conditions: "Look at the conditions.",
    towards_request: "Next: {operation:noun_inside}, to be {requested:state}.",
    restart_requested: "Next: {operation:noun_inside}, to restart.",
    leftover_container: "Next: {operation:noun_inside}, because a container is left on the volume.",
    due_before: "Next: {operation:noun_inside}, which is due before: {after:noun_inside}.",
    deleted_stop_first: "Next: {operation:noun_inside}, because it was deleted.",
    deleted_last_copy: "Next: {operation:noun_inside}, for a last copy before it is deleted.",
    purged: "Next: {operation:noun_inside}, because it was deleted for good.",
    undo_over: "Next: {operation:noun_inside}, because its time in the trash is over.",
    retry: "{operation:noun} failed and is tried again {at:upcoming}.",
    look_first: "The next step is taken once the present state has been looked at.",
    waiting_to_see: "Waiting to see: {conditions:conditions}, unknown since {since:time}.",
    idle_since: "Standby {at:upcoming}, because idle since {since:time}.",
    running_since: "Standby {at:upcoming}, because running unused since {since:time}.",
    kept_awake_until: "Standby {at:upcoming}, because kept awake until {since:time}.",
    in_standby_since: "Archived {at:upcoming}, because on standby since {since:time}.",
    demotion_off: "It stays {phase:phase_inside}: idle demotion is switched off.",
    stays: "It stays {phase:phase_inside} until something else is requested.",
    deleted_for_good: "It was deleted for good.",
    trash_over: "The time for restoring it from the trash is over.",
    in_trash: "It can be restored from the trash; gone for good {at:upcoming}.",
  },

  nextShort: {
    operation_next: "Next: {operation:noun_inside}",
    standby: "Standby {at:upcoming} unless you use it",
    archive: "Archived {at:upcoming}",
    retry: "Tries again {at:upcoming}",
    expiry: "Gone for good {at:upcoming}",
  },

  now: {
    doing: "{operation:doing}",
    doing_towards: "{operation:doing}, to be {state:state}",
    requested: "Requested to be {state:state}",
  },

  explain: {
    why: "{phase:phase} since {since:time}: {because}",
    ended: [
      "The container ended {ended_at:time} because {ended:ended} (exit code {exit_code}).",
      "The container ended {ended_at:time} because {ended:ended}.",
    ],
    requested_by: [
      "Requested to be {state:state} by {username} ({at:time}): {event}.",
      "Requested to be {state:state} by the {part} ({at:time}): {event}.",
    ],
    requested: "Requested to be {state:state} since it was created.",
  },

  safety: {
    never_archived: "It was never archived.",
    last_archive: "Its last verified archive is {age_ms:span} old ({verified_at:time}).",
    "at_risk volume": "The volume with the home was not found.",
    "at_risk archive": "The archive with the home cannot be read.",
    volume: "The home is on a volume.",
    archived: "The home is in an archive that was read back and verified.",
    empty: "The home is empty.",
    no_home: "There is no home yet.",
  },

  lacks: {
    user_name:
      "Your user has no name here, so ssh and git over ssh do not work. An administrator can change that by starting CodeHub as root with the right to mount.",
    home_path:
      "The home is not at /home/coder but below the server's own folder. What has that path in it works on this machine only.",
    memory_files: "Nothing here is kept in memory alone, so keys and secrets cannot be given to a workspace.",
  },

  caches: {
    npm: { name: "npm", means: "Packages that npm has fetched. The next install fetches what it needs." },
    yarn: { name: "Yarn", means: "Packages that Yarn has fetched. The next install fetches what it needs." },
    pip: {
      name: "pip",
      means: "Packages that pip has fetched or built. The next install fetches or builds what it needs.",
    },
    poetry: {
      name: "Poetry",
      means: "Packages that Poetry has fetched; its environments stay. The next install fetches what it needs.",
    },
    go_build: { name: "Go builds", means: "What Go has compiled. The next build compiles it all again." },
    go_modules: { name: "Go modules", means: "Modules that Go has fetched. The next build fetches what it needs." },
    cargo: {
      name: "Cargo",
      means:
        "Crates that Cargo has fetched and unpacked; installed programs stay. The next build fetches what it needs.",
    },
    gradle: {
      name: "Gradle",
      means: "What Gradle has fetched and built. The next build fetches and builds what it needs.",
    },
    composer: {
      name: "Composer",
      means: "Packages that Composer has fetched. The next install fetches what it needs.",
    },
  },

  repository: {
    empty: "Paste the address of a repository.",
    too_long: "An address has {max} characters at most.",
    hidden_characters: "There are characters in the address that cannot be seen. Type it by hand, or copy it again.",
    blanks: "There is a blank in the address. Paste the address of one repository and nothing else.",
    option: "There is an option for git in it. Paste the address only.",
    local: "This is a place on a disk. Use the https or ssh address of the repository.",
    protocol: "Addresses that begin with {protocol} are not taken. Use the https or ssh address of the repository.",
    http: "{host} would be asked without encryption. Use https; an administrator can allow this host by GIT_HTTP_HOSTS.",
    password:
      "There is a password or token in the address, where others would see it. Remove it there and save it as a credential for {host}.",
    ssh_user: "An ssh address says who signs in, as in git@example.com:team/project.",
    host: "The name of the host is not valid.",
    no_host: "There is no host in the address. It looks like https://example.com/team/project.",
    no_path: "This is the address of {host}, but of no repository there.",
    characters: "There are characters in the address that no repository has in its path.",
    ref: "The address names a branch, tag or commit that git does not allow.",
    folder: "The folder has characters that are not allowed. Letters, digits, dot, dash and underscore are.",
    pull_without_ref: "{host} gives nobody the state of a pull request. Paste the link of its branch instead.",
  },

  clone: {
    needs_sign_in:
      "This address wants a sign-in. Save a token for {host}, or use the ssh address of the repository with your key.",
    credential_refused: "{host} refused the saved credential. Save a new token for it, then try again.",
    forbidden: "{host} does not let this credential read the repository. Look what the token may do.",
    key_unknown: "{host} does not know your key. Copy your public key to your account there, then try again.",
    host_key_changed: [
      "{host} shows another key than before ({fingerprint}). Do not go on before somebody explained it.",
      "{host} shows another key than before. Do not go on before somebody explained it.",
    ],
    host_key_unknown: "The key of {host} is not on this server's list. Ask an administrator to add it.",
    no_user_name: "The workspace has no user name here, which ssh needs. Use the https address of the repository.",
    not_found: "{host} has no such repository, or your account may not see it.",
    no_such_ref: ["There is no branch or tag {name}. Near: {near}.", "There is no branch or tag {name}."],
    unreachable: "{host} cannot be reached from workspaces. A proxy or a firewall may be in the way.",
    certificate:
      "The certificate of {host} is not one that workspaces trust. An administrator can add the authority it comes from.",
    server_error: "{host} has trouble of its own (status {status}). Try again later.",
    broken_off: "{host} broke off in the middle. Try again.",
    transport: "The repository refers to an address with {protocol}, which is not allowed.",
    disk_full: "The disk is full. Make room in the home or ask for a larger one, then try again.",
    checkout_failed: [
      "The project is there, but not all of its files could be written: {said}",
      "The project is there, but not all of its files could be written.",
    ],
    lfs_missing: "The project is there, but its large files are not: this needs git-lfs, which is not installed.",
    lfs_failed: [
      "The project is there, but its large files are not: {said}",
      "The project is there, but its large files are not.",
    ],
    submodule_failed: [
      "The project is there, but its submodule {path} is not: {said}",
      "The project is there, but not all of its submodules: {said}",
      "The project is there, but not all of its submodules.",
    ],
    dotfiles_failed: ["Your dotfiles are not there: {said}", "Your dotfiles are not there."],
    git_failed: [
      "Git could not do it: {said}",
      "Git ended without saying why (exit code {exit_code}).",
      "Git was ended.",
    ],
  },

  keyTest: {
    works: [
      "It works: {host} lets you read this repository. Its default branch is {branch}.",
      "It works: {host} lets you read this repository. Nothing was committed to it yet.",
    ],
    not_asked:
      "{host} gives this repository to everybody and did not ask for the credential. Try one that only you may read.",
    not_kept: "There is nothing to try any more: it was deleted meanwhile.",
    locked: "The server has lost the key with which this was sealed. Save it again.",
    interrupted: "The test was interrupted. Try again.",
    timed_out: "There was no answer within {seconds} seconds. Try again later.",
    not_run: ["The test could not be run here: {said}", "The test could not be run here."],
  },

  setup: {
    too_large: "devcontainer.json is larger than {max} bytes and was not read.",
    too_deep: "devcontainer.json is nested too deep at line {line}, column {column}, and was not read.",
    syntax: "devcontainer.json is not valid at line {line}, column {column} ({problem}), and was not read.",
    no_object: "devcontainer.json has to be an object in braces, and was not read.",
    unsupported: "{field} (line {line}) has no effect here.",
    image_build:
      "{field} (line {line}) has no effect here: images are not built from a repository. The workspace runs in one of this server's images.",
    host_command:
      "{field} (line {line}) was not run: it is for the machine of the server, where nothing of a repository runs.",
    engine_option: "{field} (line {line}) has no effect here: a repository cannot change what its container may do.",
    unknown_field: [
      "{field} (line {line}) is not a field of devcontainer.json. Did you mean {near}?",
      "{field} (line {line}) is not a field of devcontainer.json.",
    ],
    unknown_value: "{field} (line {line}) has a value that is not known.",
    duplicate: "{field} is there twice; the one at line {line} is the second, and holds.",
    not_text: "{field} (line {line}) has to be text, and was left out.",
    not_list: "{field} (line {line}) has to be a list, and was left out.",
    not_object: "{field} (line {line}) has to be an object, and was left out.",
    not_command: "{field} (line {line}) has to be text, a list of texts, or an object of these, and was left out.",
    not_port: "{field} (line {line}) has to be a port from 1 to 65535, and was left out.",
    not_size: "{field} (line {line}) has to be a number of CPUs, or a size like 8gb, and was left out.",
    port_elsewhere: "{field} (line {line}) is a port of another machine, and was left out.",
    port_pattern: "{field} (line {line}) is not a port. Ranges and patterns have no effect here.",
    image_not_allowed: "The image {image} (line {line}) is not on this server's list. An administrator can add it.",
    image_not_here: "The image {image} (line {line}) has no effect here: workspaces run without images on this server.",
    size_bounded:
      "{field} (line {line}) asks for {wanted}, which is more than anybody may have here. It gets the most there is.",
    user_ignored: "{field} (line {line}) has no effect here: everything runs as the user coder.",
    uses_sudo:
      "{field} (line {line}) calls sudo, which workspaces do not have. What it installs has to be in the image.",
    variable_reserved: "{field} (line {line}) cannot be set by a repository, and was left out.",
    variable_name: "{field} (line {line}) is not a name for a variable, and was left out.",
    path_outside: "{field} (line {line}) leads out of the home or the project, and was left out.",
    too_long: "{field} (line {line}) is longer than {max} characters, and was left out.",
    too_many: "{field} (line {line}) has more than {max} entries; the first {max} hold.",
    extension_name: "{field} (line {line}) is not the name of an extension, and was left out.",
    setting_refused:
      "{field} (line {line}) cannot be set by a repository, because it lets files run without being asked.",
    more: "There is more like this, from line {line} on.",
  },
};

import { judgeKeys, type KeyMark, type KnownKey } from "#core/secrets/judge-keys.ts";
import { asSaid, type Finding, findingsOf } from "./finding.ts";

/** What was seen of the file that seals people's secrets. */
export interface SecretsSeen {
  readonly path: string;
  /** Null where there is no file; a text where it cannot be used, which says why. */
  readonly file: readonly KeyMark[] | string | null;
  /** Others than its user and group may read it. */
  readonly open: boolean;
  /** A start of this server would make it. */
  readonly made: boolean;
  /** What the database knows; null where it was not asked. */
  readonly known: readonly KnownKey[] | null;
}

export function judgeSecrets({ path, file, open, made, known }: SecretsSeen): Finding {
  const finding = findingsOf("secrets");
  if (typeof file === "string") return finding("broken", "secrets_unreadable", { said: asSaid(file) });
  const verdict = judgeKeys({ file: file ?? [], known: known ?? [], othersRun: false });
  const { different, missing } = verdict.kind === "usable" ? verdict : { different: [], missing: [] };
  if (different.length > 0) return finding("broken", "secrets_different", { path, keys: different.join(", ") });
  if (missing.length > 0) return finding("broken", "secrets_missing", { path, keys: missing.join(", ") });
  if (file === null) return made ? finding("ok", "secrets_none_yet", { path }) : finding("warning", "secrets_none");
  if (open) return finding("broken", "secrets_open", { path });
  return finding("ok", "secrets_ok", { path });
}

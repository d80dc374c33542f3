import type { Repository } from "@codehub/contract";
import { useId } from "react";
import type { Inspected } from "../inspected.ts";
import { Icon } from "../ui/icons.tsx";
import { pathOfKey, refWords } from "../words/repository-words.ts";

const Found = ({ repository }: { repository: Repository }) => (
  <>
    <Icon name="check" className="mt-0.5 size-4 text-running" />
    <span className="min-w-0 wrap-anywhere">
      <strong className="font-semibold text-ink">{pathOfKey(repository)}</strong> from {repository.host}:{" "}
      {refWords(repository.ref)}, into <code className="font-mono">~/{repository.folder}</code>.
    </span>
  </>
);

const Refused = ({ why, loud }: { why: string; loud: boolean }) => (
  <>
    <Icon name="warning" className={`mt-0.5 size-4 ${loud ? "text-error" : "text-standby"}`} />
    <span className={`min-w-0 wrap-anywhere ${loud ? "text-error" : ""}`}>{why}</span>
  </>
);

/** One field for whatever people copy, and below it what it was understood as. */
export function RepositoryField({
  label,
  value,
  inspected,
  insisted,
  required = false,
  onChange,
}: {
  label: string;
  value: string;
  inspected: Inspected;
  /** Somebody wanted to go on with an address that is refused. */
  insisted: boolean;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  const told = useId();
  const loud = insisted && inspected.kind === "refused";
  return (
    <div>
      <label>
        <span className="label">{label}</span>
        <input
          className="field"
          name="repository"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required={required}
          aria-describedby={told}
          aria-invalid={loud}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <p id={told} role="status" className="mt-1.5 flex min-h-5 gap-2 text-[13px] text-ink-2">
        {inspected.kind === "nothing" && "An https or ssh address, or a link to a branch, commit or pull request."}
        {inspected.kind === "reading" && "Reading the address…"}
        {inspected.kind === "found" && <Found repository={inspected.repository} />}
        {inspected.kind === "refused" && <Refused why={inspected.why} loud={loud} />}
      </p>
    </div>
  );
}

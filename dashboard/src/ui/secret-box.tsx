import { useState } from "react";
import { Icon } from "./icons.tsx";

/** A secret that is shown once: easy to take along, and gone when the box is closed. */
export function SecretBox({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(secret).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div role="status" className="mb-4 rounded-xl border border-running/40 bg-running-soft p-4">
      <p className="text-sm font-semibold">{title} is shown only now</p>
      <code className="mt-2 block rounded-lg bg-surface px-3 py-2 font-mono text-sm break-all select-all">
        {secret}
      </code>
      <div className="mt-3 flex gap-2">
        <button type="button" className="btn btn-small" onClick={() => void copy()}>
          <Icon name={copied ? "check" : "copy"} /> {copied ? "Copied" : "Copy"}
        </button>
        <button type="button" className="btn btn-quiet btn-small" onClick={onClose}>
          I have it
        </button>
      </div>
    </div>
  );
}

import { useState } from "react";
import { Icon } from "./icons.tsx";

/** Puts a text where it can be pasted from, and says that it did. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <>
      <button
        type="button"
        className="btn btn-small"
        aria-label={copied ? "Copied" : label}
        onClick={() => void copy()}
      >
        <Icon name={copied ? "check" : "copy"} /> {copied ? "Copied" : "Copy"}
      </button>
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}

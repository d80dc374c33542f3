import { api } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { givenWords } from "../words/given-words.ts";

/** A repository's own programs run with what the workspace is given, so it is named and can be left out. */
export function KeysSwitch({
  allowed,
  repository,
  onChange,
}: {
  allowed: boolean;
  /** Its key; null while it is not known. */
  repository: string | null;
  onChange: (allowed: boolean) => void;
}) {
  const { data } = useQuery("keys for a workspace", () => api.getKeys());
  const given = data === null ? null : givenWords(data, repository);
  return (
    <div>
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent-fill"
          checked={allowed}
          onChange={(event) => onChange(event.target.checked)}
        />
        Give it my keys and secrets
      </label>
      <p className="hint wrap-anywhere">
        {!allowed && "It gets none of them, so only a public repository can be got."}
        {allowed && given?.length === 0 && (
          <>
            You have saved none.{" "}
            <a className="link" href={pathOf.keys} target="_blank" rel="noopener">
              Keys and variables (in a new tab)
            </a>
          </>
        )}
        {allowed && given?.length !== 0 && (
          <>
            {given !== null && `It gets ${given.join(", ")}. `}Programs in the repository can use them: leave them out
            if you do not trust it.
          </>
        )}
      </p>
    </div>
  );
}

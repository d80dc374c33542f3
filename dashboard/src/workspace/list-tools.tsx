import type { ReactNode } from "react";
import { Icon } from "../ui/icons.tsx";

/** What stays above a list while it is scrolled. */
export const ListTools = ({ children }: { children: ReactNode }) => (
  <div className="list-tools flex flex-wrap items-center gap-2 lg:h-14 lg:flex-nowrap lg:gap-3">{children}</div>
);

export const SearchField = ({
  label,
  placeholder,
  value,
  onType,
  onLeave,
}: {
  label: string;
  placeholder: string;
  value: string;
  onType: (text: string) => void;
  onLeave: () => void;
}) => (
  <div className="relative min-w-36 flex-1 lg:w-72 lg:flex-none">
    <Icon name="search" className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" />
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      className="field pl-9"
      value={value}
      onChange={(event) => onType(event.target.value)}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-name-link]")?.focus();
      }}
    />
  </div>
);

export function Order<S extends string>({
  words,
  sort,
  descending,
  onSort,
  onTurn,
}: {
  words: Readonly<Record<S, string>>;
  sort: S;
  descending: boolean;
  onSort: (sort: S) => void;
  onTurn: () => void;
}) {
  const sorts = Object.keys(words) as S[];
  return (
    <div className="flex items-center gap-1.5">
      <label className="flex items-center gap-2 text-[13px] whitespace-nowrap text-ink-2">
        <span className="max-lg:sr-only">Sort by</span>
        <select
          className="field w-auto max-lg:max-w-32"
          value={sort}
          onChange={(event) => onSort(sorts.find((name) => name === event.target.value) ?? sort)}
        >
          {sorts.map((name) => (
            <option key={name} value={name}>
              {words[name]}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        className="btn btn-icon"
        aria-label={descending ? "Descending. Turn around." : "Ascending. Turn around."}
        onClick={onTurn}
      >
        <Icon name="sort" className={`size-4 ${descending ? "" : "rotate-180"}`} />
      </button>
    </div>
  );
}

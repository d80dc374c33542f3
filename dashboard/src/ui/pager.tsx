import { pageNumbers } from "../format/pages.ts";

/** At the end of the pages it stays where it is, and keeps the focus of whoever turned to them with the keyboard. */
export const Turn = ({ label, possible, onTurn }: { label: string; possible: boolean; onTurn: () => void }) => (
  <button
    type="button"
    className="btn btn-small"
    aria-disabled={!possible}
    onClick={() => {
      if (possible) onTurn();
    }}
  >
    {label}
  </button>
);

/** Pages by number; nothing where there is only one. */
export function Pager({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  if (last <= 1 && page === 1) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-end gap-2">
      <Turn label="Previous" possible={page > 1} onTurn={() => onPage(page - 1)} />
      {pageNumbers(page, last).map((number, index) =>
        number === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: dots have nothing else to be known by.
          <span key={`dots ${index}`} aria-hidden="true" className="text-ink-3">
            …
          </span>
        ) : (
          <button
            key={number}
            type="button"
            className={`btn btn-small tabular-nums ${number === page ? "btn-primary" : ""}`}
            aria-label={`Page ${number}`}
            aria-current={number === page ? "page" : undefined}
            onClick={() => onPage(number)}
          >
            {number}
          </button>
        ),
      )}
      <Turn label="Next" possible={page < last} onTurn={() => onPage(page + 1)} />
    </nav>
  );
}

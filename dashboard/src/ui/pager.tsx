import { pageNumbers } from "../format/pages.ts";

/** Pages by number; nothing where there is only one. */
export function Pager({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  if (last <= 1 && page === 1) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-end gap-2">
      <button type="button" className="btn btn-small" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
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
      <button type="button" className="btn btn-small" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}

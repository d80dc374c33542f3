import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { navigate, useSearch } from "./router.ts";

/** Browsers count how often a page changes its address, and one of them throws when it was a hundred times. */
const pauseMs = 250;

interface Typed {
  /** Written into the address when it was made. */
  readonly query: string;
  readonly search: string;
}

/**
 * What a list shows, kept in its address, so that reloading, going back and sending a link keep it. A choice is a step of
 * its own to go back from; letters are there at once and in the address when the typing pauses or the field is left.
 */
export function useAddressView<V extends { readonly search: string }>(
  viewOf: (query: string) => V,
  queryOf: (view: V) => string,
): {
  readonly view: V;
  readonly choose: (view: V) => void;
  readonly type: (search: string) => void;
  settle: () => void;
} {
  const query = useSearch();
  const [typed, setTyped] = useState<Typed | null>(null);
  // Letters belong to the address they were typed at: going back takes them away.
  const search = typed?.query === query ? typed.search : null;
  const view = useMemo(() => {
    const asked = viewOf(query);
    return search === null ? asked : { ...asked, search };
  }, [query, search, viewOf]);

  const choose = useCallback((next: V) => navigate(location.pathname + queryOf(next)), [queryOf]);
  const latest = useRef({ search, view });
  latest.current = { search, view };
  const settle = useCallback(() => {
    if (latest.current.search !== null) navigate(location.pathname + queryOf(latest.current.view), { replace: true });
  }, [queryOf]);
  useEffect(() => {
    if (search === null) return undefined;
    const timer = setTimeout(settle, pauseMs);
    return () => clearTimeout(timer);
  }, [search, settle]);
  const type = useCallback((text: string) => setTyped({ query: location.search, search: text }), []);
  return { view, choose, type, settle };
}

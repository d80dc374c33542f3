import { useCallback, useMemo } from "react";
import { useStored } from "./preferences.ts";

/** What one person has pinned in this browser, by id. What another browser of theirs has pinned is not known here. */
export function usePins(who: string): [ReadonlySet<string>, (id: string) => void] {
  const [stored, store] = useStored(`pins.${who}`);
  const pins = useMemo(() => new Set((stored ?? "").split(" ").filter(Boolean)), [stored]);
  const toggle = useCallback(
    (id: string) => {
      const next = new Set(pins);
      if (!next.delete(id)) next.add(id);
      store([...next].join(" "));
    },
    [pins, store],
  );
  return [pins, toggle];
}

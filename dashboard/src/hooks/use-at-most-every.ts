import { useEffect, useRef, useState } from "react";

/** A value that changes often, followed at most once in so many milliseconds: for work that each change would begin anew. */
export function useAtMostEvery<T>(value: T, ms: number): T {
  const [followed, setFollowed] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const behind = value !== followed;
  useEffect(() => {
    if (!behind) return undefined;
    const timer = setTimeout(() => setFollowed(latest.current), ms);
    return () => clearTimeout(timer);
  }, [behind, ms]);
  return followed;
}

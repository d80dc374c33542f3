import type { Session } from "@codehub/contract";
import { createContext, useContext } from "react";

export interface SessionAccess {
  readonly session: Session;
  readonly setSession: (session: Session) => void;
  readonly signOut: (options?: { everywhere?: boolean }) => Promise<void>;
}

export const SessionContext = createContext<SessionAccess | null>(null);

/** Only pages behind the sign-in use it, and those are drawn only when there is a session. */
export function useSession(): SessionAccess {
  const access = useContext(SessionContext);
  if (access === null) throw new Error("useSession is for pages behind the sign-in.");
  return access;
}

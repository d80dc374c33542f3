import type { ReactNode } from "react";

/** What a program has written, as it wrote it. */
export const Output = ({ children }: { children: ReactNode }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    tabIndex={0}
    className="max-h-96 overflow-auto rounded-lg bg-sunken p-3 font-mono text-[13px] leading-relaxed"
  >
    {children}
  </pre>
);

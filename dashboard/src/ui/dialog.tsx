import { type ReactNode, useEffect, useId, useRef } from "react";
import { bearingsOf, foundAgain } from "../hooks/left-focus.ts";
import { Icon } from "./icons.tsx";

/** A native modal dialog: focus stays inside, Escape closes, and focus returns to where it was. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement instanceof HTMLElement ? bearingsOf(document.activeElement) : null;
    if (dialog?.open === false) {
      dialog.showModal();
      // The browser would take the first thing it finds, which is the button that closes.
      body.current?.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea, button, pre")?.focus();
    }
    return () => {
      dialog?.close();
      // What it was opened from may have gone with what was done here.
      if (opener !== null) foundAgain(opener)?.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto w-[calc(100vw-2rem)] rounded-2xl border border-line bg-surface p-0 text-ink shadow-float ${wide ? "max-w-2xl" : "max-w-lg"}`}
    >
      <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-3.5">
        <h2 id={titleId} className="text-base font-semibold wrap-anywhere">
          {title}
        </h2>
        <button type="button" aria-label="Close" className="btn btn-quiet btn-icon -mr-2" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div ref={body} className="px-5 py-4">
        {children}
      </div>
    </dialog>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
);

import { useEffect } from "react";
import { create } from "zustand";
import { Icon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly tone: "done" | "problem";
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const useStore = create<{ readonly toasts: readonly Toast[]; readonly lastId: number }>(() => ({
  toasts: [],
  lastId: 0,
}));
const dismiss = (id: number) =>
  useStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

/** Says what came of something the user did. A problem stays until it is closed; the rest goes by itself. */
export const toast = (content: Omit<Toast, "id">): void =>
  useStore.setState(({ toasts, lastId }) => {
    const id = lastId + 1;
    // The same problem twice is one message, and more than four at once is noise.
    const same = (other: Toast) => other.text === content.text;
    // What came before the last thing done cannot be undone any more from here.
    const old = (other: Toast) => content.action !== undefined && other.action !== undefined;
    const others = toasts.filter((other) => !same(other) && !old(other)).slice(-3);
    return { toasts: [...others, { ...content, id }], lastId: id };
  });

/** What is shown of what somebody did is for them alone. */
export const hideToasts = (): void => useStore.setState({ toasts: [] });
export const shownToasts = (): readonly string[] => useStore.getState().toasts.map(({ text }) => text);

/** Does what the message on the screen offers. False where none offers anything. */
export function takeOffer(): boolean {
  const offering = useStore.getState().toasts.find(({ action }) => action !== undefined);
  if (offering === undefined) return false;
  dismiss(offering.id);
  offering.action?.run();
  return true;
}

function Item({ toast: { id, tone, text, action } }: { toast: Toast }) {
  useEffect(() => {
    if (tone === "problem") return undefined;
    const timer = setTimeout(() => dismiss(id), action === undefined ? 6000 : 12_000);
    return () => clearTimeout(timer);
  }, [id, tone, action]);
  return (
    <div
      role={tone === "problem" ? "alert" : "status"}
      className="flex animate-rise items-start gap-3 rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-float"
    >
      <Icon
        name={tone === "problem" ? "warning" : "check"}
        className={`mt-0.5 size-4 ${tone === "problem" ? "text-error" : "text-running"}`}
      />
      <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
      {action !== undefined && (
        <button
          type="button"
          className="-my-1 rounded-md px-2 py-1 font-semibold text-accent hover:bg-sunken"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Close message"
        className="-m-1 rounded-md p-1.5 text-ink-3 hover:bg-sunken"
        onClick={() => dismiss(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

export function Toasts() {
  const items = useStore((state) => state.toasts);
  return (
    <section
      aria-label="Messages"
      data-messages
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 sm:left-auto"
    >
      <ol className="flex flex-col items-end gap-2 *:pointer-events-auto">
        {items.map((item) => (
          <li key={item.id} className="w-full sm:w-96">
            <Item toast={item} />
          </li>
        ))}
      </ol>
    </section>
  );
}

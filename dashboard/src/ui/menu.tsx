import { Menu as Base } from "@base-ui/react/menu";
import { type ReactNode, type RefObject, useRef } from "react";
import { Icon, type IconName } from "./icons.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
  readonly danger?: boolean;
}

/** Menus are drawn in the page's main part, over its bars; it is looked up when one opens, because it comes after the header. */
const page: RefObject<HTMLElement | null> = {
  get current() {
    return document.getElementById("content");
  },
};

/** A button that opens a list of actions. While it is open the page behind takes no clicks: the next one only closes it. */
export function Menu({
  label,
  items,
  children,
  className = "btn btn-quiet btn-icon",
}: {
  label: string;
  items: readonly MenuItem[];
  children: ReactNode;
  className?: string;
}) {
  const actions = useRef<Base.Root.Actions>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Base.Root actionsRef={actions}>
      <Base.Trigger ref={button} aria-label={label} className={className}>
        {children}
      </Base.Trigger>
      <Base.Portal container={page} className="relative z-50">
        {/* Fixed: the end of the page, where menus are drawn, moves whenever the page becomes longer or shorter. */}
        <Base.Positioner positionMethod="fixed" align="end" sideOffset={4} collisionPadding={8}>
          <Base.Popup className="max-h-(--available-height) min-w-52 animate-rise overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-float outline-none">
            {items.map((item) => (
              <Base.Item
                key={item.label}
                className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm -outline-offset-2 select-none data-highlighted:bg-sunken ${item.danger === true ? "text-error" : ""}`}
                onClick={(event) => {
                  // The library would focus the entry; but a dialog gives the focus back to where it found it.
                  event.preventBaseUIHandler();
                  actions.current?.close();
                  button.current?.focus();
                  item.run();
                }}
              >
                <Icon name={item.icon} />
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

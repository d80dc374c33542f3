import { api } from "../api.ts";
import { shortcuts, useShortcutsSetting } from "../hooks/shortcuts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";

export function HelpDialog() {
  const [setting, setSetting] = useShortcutsSetting();
  return (
    <Dialog title="Keyboard shortcuts" onClose={hideOverlay}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2.5 text-sm">
        {shortcuts.map(({ keys, does }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="inline-block min-w-8 rounded-md border border-line-strong bg-sunken px-2 py-0.5 text-center font-mono text-[13px]">
                {keys}
              </kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-5 flex items-center gap-2.5 border-t border-line pt-4 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent-fill"
          checked={setting === "on"}
          onChange={(event) => setSetting(event.target.checked ? "on" : "off")}
        />
        Single-key shortcuts are on
      </label>
      <p className="mt-4 text-sm text-ink-2">
        Everything here can also be done by a program: see the{" "}
        <a className="link" href={api.url("getReference")} target="_blank" rel="noopener">
          API reference
        </a>
        .
      </p>
    </Dialog>
  );
}

import { CopyButton } from "../ui/copy-button.tsx";

/** What fills a home and comes back by itself when it is needed; each is a command for the terminal of the IDE. */
const ways: readonly { readonly what: string; readonly command: string }[] = [
  { what: "Largest folders", command: "du -xh --max-depth=3 ~ 2>/dev/null | sort -h | tail -n 25" },
  {
    what: "All caches, by size",
    command: "du -sh ~/.cache/* ~/.npm ~/.cargo/registry ~/go/pkg/mod 2>/dev/null | sort -h",
  },
  { what: "npm", command: "npm cache clean --force" },
  { what: "yarn", command: "yarn cache clean" },
  { what: "pip", command: "pip cache purge" },
  { what: "Go", command: "go clean -cache -modcache" },
  { what: "Cargo", command: "rm -rf ~/.cargo/registry/cache ~/.cargo/registry/src ~/.cargo/git/checkouts" },
];

/** For whoever prefers a terminal, and where nothing else can be done. */
export const SpaceCommands = ({ open = false }: { open?: boolean }) => (
  <details className="mt-4" open={open}>
    <summary className="cursor-pointer rounded-sm text-[13px] font-medium text-accent">
      The same in a terminal of the workspace
    </summary>
    <ul className="mt-2 flex flex-col gap-2">
      {ways.map(({ what, command }) => (
        <li key={what} className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            <span className="block text-[13px] font-medium text-ink">{what}</span>
            <code className="text-[13px] wrap-anywhere">{command}</code>
          </span>
          <CopyButton text={command} label={`Copy the command: ${what}`} />
        </li>
      ))}
    </ul>
  </details>
);

import { type Archive, safetyText, type Workspace } from "@codehub/contract";
import { useState } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { bytes, counted, exact } from "../format/format.ts";
import { useQuery } from "../hooks/use-query.ts";
import { takeAnswer } from "../live/store.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { restoreWords } from "../words/question-words.ts";
import { localVoice } from "../words/voice.ts";
import { safetyLook } from "./safety-words.ts";

const stateWords: Readonly<Record<Archive["state"], string>> = {
  current: "newest",
  version: "older version",
  trash: "in the trash",
  orphan: "to be removed",
};

async function verify(id: string, opId: string) {
  try {
    await takeAnswer(api.verifyArchive({ params: { id, op_id: opId } }));
    toast({ tone: "done", text: "The restore test was asked for. Its outcome appears in the history." });
  } catch (error) {
    report(error);
  }
}
async function restore(id: string, opId: string) {
  await takeAnswer(api.restoreArchive({ params: { id, op_id: opId } }));
  toast({ tone: "done", text: "The archive is being restored as the home." });
}

/** The page shows its beginning only. */
const copySum = (sum: string) =>
  navigator.clipboard.writeText(sum).then(
    () => toast({ tone: "done", text: "The SHA-256 of the archive is copied." }),
    () => toast({ tone: "problem", text: `This browser does not let the page copy. The SHA-256 is ${sum}` }),
  );

function Proof({ archive, workspace, own }: { archive: Archive; workspace: Workspace; own: boolean }) {
  const makeHome = () =>
    showOverlay({
      kind: "confirm",
      question: {
        ...restoreWords(workspace.name, archive, workspace.phase === "PENDING"),
        run: () => restore(workspace.id, archive.op_id),
      },
    });
  const args = { params: { id: workspace.id, op_id: archive.op_id } };
  const { sha256 } = archive;
  const items: MenuItem[] = [
    {
      label: "Download (.tar.zst)",
      icon: "download",
      run: () => window.location.assign(api.url("downloadArchive", args)),
    },
    { label: "Test the restore", icon: "shield", run: () => void verify(workspace.id, archive.op_id) },
    ...(sha256 === null ? [] : [{ label: "Copy the SHA-256", icon: "copy" as const, run: () => void copySum(sha256) }]),
    ...(!archive.authoritative && ["ARCHIVED", "PENDING"].includes(workspace.phase)
      ? [{ label: "Restore as the home", icon: "undo" as const, run: makeHome }]
      : []),
  ];
  return (
    <li className="flex items-start gap-2 py-2.5">
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <Time at={archive.created_at} className="font-medium" />{" "}
          <span className="text-ink-3">{archive.authoritative ? "is the home now" : stateWords[archive.state]}</span>
        </p>
        <p className="text-[13px] text-ink-3">
          {archive.home_bytes === null ? "size unknown" : bytes(archive.home_bytes)}
          {archive.archive_bytes !== null && `, ${bytes(archive.archive_bytes)} packed`}
          {archive.entry_count !== null && `, ${counted(archive.entry_count, "file")}`}
        </p>
        <p className="text-[13px] text-ink-3">
          {archive.verified_at === null ? (
            "not verified"
          ) : (
            <>
              verified <Time at={archive.verified_at} />
            </>
          )}
          {archive.keep_until !== null && (
            <>
              {" "}
              · removed <Time at={archive.keep_until} ahead />
            </>
          )}
        </p>
        {archive.sha256 !== null && (
          <p className="truncate font-mono text-xs text-ink-3" title={`SHA-256 ${archive.sha256}`}>
            sha256 {archive.sha256.slice(0, 20)}…
          </p>
        )}
      </div>
      {own && (
        <Menu label={`Archive of ${exact(new Date(archive.created_at).getTime())}`} items={items}>
          <Icon name="more" />
        </Menu>
      )}
    </li>
  );
}

export function SafetyCard({ workspace, own }: { workspace: Workspace; own: boolean }) {
  const [all, setAll] = useState(false);
  const { safety } = workspace;
  const look = safetyLook[safety.level];
  const proof = safety.last_verified_archive;
  const archives = useQuery(`archives ${workspace.id}`, () => api.listArchives({ params: { id: workspace.id } }), {
    refreshOn: `${workspace.version} ${proof?.verified_at ?? ""}`,
  });
  const items = archives.data?.items ?? [];
  const shown = all ? items : items.slice(0, 3);
  return (
    <Card title="Home safety">
      <div className="flex gap-3">
        <span className={`grid size-10 shrink-0 place-items-center rounded-xl bg-sunken ${look.text}`}>
          <Icon name={look.icon} className="size-5" />
        </span>
        <div className="min-w-0 text-sm">
          <p className="font-semibold">{look.word}</p>
          <p className="text-ink-2">{safetyText(safety, localVoice)}</p>
        </div>
      </div>
      <h3 className="mt-5 mb-1 text-[13px] font-semibold text-ink-2">Archives</h3>
      <NotThere small query={archives} title="The archives cannot be loaded" loading="Loading archives" />
      {archives.data !== null && items.length === 0 && (
        <p className="text-sm text-ink-3">None yet. The first one is created when the workspace is archived.</p>
      )}
      <ul className="divide-y divide-line">
        {shown.map((archive) => (
          <Proof key={archive.op_id} archive={archive} workspace={workspace} own={own} />
        ))}
      </ul>
      {items.length > 3 && (
        <button type="button" className="btn btn-quiet btn-small mt-1" onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${items.length}`}
        </button>
      )}
    </Card>
  );
}

import type { Examination, Finding } from "@codehub/contract";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Time } from "../ui/basics.tsx";

const lights: Readonly<Record<Finding["level"], { readonly dot: string; readonly word: string }>> = {
  ok: { dot: "bg-running", word: "OK" },
  warning: { dot: "bg-standby", word: "Look at it" },
  broken: { dot: "bg-error", word: "Broken" },
  unknown: { dot: "bg-pending", word: "Not looked at" },
};
const names: Readonly<Record<Finding["check"], string>> = {
  configuration: "Configuration",
  database: "Database",
  roles: "Database roles",
  clocks: "Clocks",
  secrets: "Secrets",
  redis: "Redis",
  store: "Archive store",
  engine: "Engine",
  images: "Images",
  firewall: "Firewall",
  dns: "Addresses",
  disk: "Disk",
  descriptors: "Connections",
};

const Entry = ({ finding }: { finding: Finding }) => (
  <li className="flex gap-3 text-sm">
    <span aria-hidden="true" className={`mt-1.5 size-2.5 shrink-0 rounded-full ${lights[finding.level].dot}`} />
    <div className="min-w-0 flex-1">
      <p className="flex justify-between gap-3">
        <span className="font-medium">{names[finding.check]}</span>
        <span className="shrink-0 text-ink-2">{lights[finding.level].word}</span>
      </p>
      <p className="text-[13px] text-ink-3 wrap-anywhere">{finding.found}</p>
      {finding.cure !== null && (
        <p className="mt-1 text-[13px] wrap-anywhere">
          <span className="font-medium">What to do:</span> {finding.cure}
        </p>
      )}
    </div>
  </li>
);

function Entries({ examination }: { examination: Examination }) {
  const well = examination.findings.filter(({ level }) => level === "ok");
  const rest = examination.findings.filter(({ level }) => level !== "ok");
  return (
    <>
      {rest.length === 0 && <p className="mb-4 text-sm text-ink-2">Nothing needs to be done.</p>}
      <ul className="mb-4 flex flex-col gap-3.5">
        {rest.map((finding) => (
          <Entry key={`${finding.check} ${finding.code} ${finding.found}`} finding={finding} />
        ))}
      </ul>
      <details>
        <summary className="cursor-pointer text-sm text-ink-2">
          {well.length === 1 ? "One check is fine" : `${well.length} checks are fine`}
        </summary>
        <ul className="mt-3.5 grid gap-x-8 gap-y-3.5 lg:grid-cols-2">
          {well.map((finding) => (
            <Entry key={finding.check} finding={finding} />
          ))}
        </ul>
      </details>
      <p className="mt-4 text-[13px] text-ink-3">
        Looked from <span className="wrap-anywhere">{examination.machine}</span> <Time at={examination.at} />; on the
        server itself, <code className="font-mono">codehub doctor</code> does the same.
      </p>
    </>
  );
}

/** What codehub doctor finds: what is not as it should be first, each with what to do. */
export function DoctorCard() {
  const doctor = useQuery("doctor", () => api.getExamination(), { repeatMs: 60_000 });
  return (
    <Card title="Doctor" id="doctor">
      <NotThere small query={doctor} title="The checks cannot be loaded" loading="Looking at everything" />
      {doctor.data !== null && <Entries examination={doctor.data} />}
    </Card>
  );
}

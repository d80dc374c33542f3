import { catalogue } from "@codehub/contract";
import { useSession } from "../session.tsx";
import { Card } from "../ui/basics.tsx";

/** What workspaces have elsewhere and not on this machine, so that nobody looks for the mistake in a project. */
export function LacksCard() {
  const { lacks = [] } = useSession().session.deployment;
  if (lacks.length === 0) return null;
  return (
    <Card title="Missing on this machine">
      <ul className="flex flex-col gap-2 text-sm text-ink-2">
        {lacks.map((code) => (
          <li key={code}>{catalogue.lacks[code]}</li>
        ))}
      </ul>
    </Card>
  );
}

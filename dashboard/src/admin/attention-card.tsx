import type { Attention } from "@codehub/contract";
import { api } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Link } from "../ui/basics.tsx";

const Item = ({ item }: { item: Attention["items"][number] }) => (
  <li className="flex gap-3 text-sm">
    <span aria-hidden="true" className="mt-1.5 size-2.5 shrink-0 rounded-full bg-error" />
    <div className="min-w-0 flex-1 wrap-anywhere">
      {item.path.startsWith(`${pathOf.admin()}#`) ? (
        <a href={item.path.slice(pathOf.admin().length)} className="font-medium hover:underline">
          {item.text}
        </a>
      ) : (
        <Link to={item.path} className="font-medium hover:underline">
          {item.text}
        </Link>
      )}
      {item.action !== null && <p className="mt-0.5 text-[13px] text-ink-3">{item.action}</p>}
    </div>
  </li>
);

/** What a person has to look at, each with what to do and a link to where it is done. */
export function AttentionCard() {
  const attention = useQuery("attention", () => api.getAttention(), { repeatMs: 30_000 });
  const { data } = attention;
  return (
    <Card title="Needs attention">
      <NotThere
        small
        query={attention}
        title="What needs attention cannot be loaded"
        loading="Looking for what needs attention"
      />
      {data?.items.length === 0 && <p className="text-sm text-ink-2">Nothing needs attention.</p>}
      <ul className="flex flex-col gap-3.5">
        {data?.items.map((item) => (
          <Item key={item.key} item={item} />
        ))}
      </ul>
    </Card>
  );
}

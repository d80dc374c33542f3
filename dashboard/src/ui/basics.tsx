import { type ReactNode, useEffect, useRef, useState } from "react";
import { ago, exact, upcoming } from "../format/format.ts";
import { useNow } from "../hooks/clock.ts";
import { isPlainClick, navigate } from "../hooks/router.ts";
import { Icon, type IconName } from "./icons.tsx";

/** A link inside the dashboard: a real address that also works in a new tab. */
export const Link = ({
  to,
  className = "link",
  children,
  current,
  nameLink = false,
}: {
  to: string;
  className?: string;
  children: ReactNode;
  current?: boolean;
  /** The link a row of a list is about; arrow keys move between these. */
  nameLink?: boolean;
}) => (
  <a
    href={to}
    className={className}
    data-name-link={nameLink ? "" : undefined}
    aria-current={current === true ? "page" : undefined}
    onClick={(event) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);

/** A moment as people say it, with the exact value in their zone on hover and for screen readers. */
export function Time({
  at,
  className,
  ahead = false,
}: {
  at: string;
  className?: string;
  /** Set for what is going to happen; everything else has happened, whatever the two clocks say. */
  ahead?: boolean;
}) {
  const moment = new Date(at).getTime();
  const now = useNow(1000);
  return (
    <time dateTime={at} title={exact(moment)} className={className}>
      {ahead ? upcoming(moment, now) : ago(moment, now)}
    </time>
  );
}

export const Dot = ({ className, busy = false }: { className: string; busy?: boolean }) => (
  <span
    aria-hidden="true"
    className={`inline-block size-2.5 shrink-0 rounded-full ${className} ${busy ? "animate-breathe" : ""}`}
  />
);

/** A bar with a known share, or one that only says that something moves. */
export const Progress = ({
  label,
  share,
  className = "",
  thin = false,
}: {
  label: string;
  share: number | null;
  className?: string;
  thin?: boolean;
}) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={share === null ? undefined : Math.round(share * 100)}
    className={`${thin ? "h-1" : "h-1.5"} overflow-hidden rounded-full bg-line ${className}`}
  >
    {share === null ? (
      <div className="h-full w-1/3 animate-sheen rounded-full bg-accent-fill" />
    ) : (
      <div
        className="h-full rounded-full bg-accent-fill transition-[width] duration-500"
        style={{ width: `${Math.min(100, Math.max(2, share * 100))}%` }}
      />
    )}
  </div>
);

const noticeLook = {
  info: "border-accent/30 bg-accent-soft",
  warning: "border-standby/40 bg-standby-soft",
  error: "border-error/40 bg-error-soft",
} as const;
const noticeIcon = { info: "light", warning: "warning", error: "warning" } as const satisfies Record<string, IconName>;
const noticeInk = { info: "text-accent", warning: "text-standby", error: "text-error" } as const;

export const Notice = ({
  tone,
  title,
  children,
  actions,
  live = false,
}: {
  tone: keyof typeof noticeLook;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  live?: boolean;
}) => (
  <div
    role={live ? (tone === "error" ? "alert" : "status") : "note"}
    className={`flex flex-col gap-3 rounded-xl border px-4 py-3 sm:flex-row sm:items-start ${noticeLook[tone]}`}
  >
    <div className="flex min-w-0 flex-1 gap-3">
      <Icon name={noticeIcon[tone]} className={`mt-0.5 size-5 ${noticeInk[tone]}`} />
      <div className="min-w-0 text-sm">
        <p className="font-semibold text-ink">{title}</p>
        {children !== undefined && <div className="mt-0.5 text-ink-2">{children}</div>}
      </div>
    </div>
    {actions !== undefined && <div className="flex flex-wrap gap-2 pl-8 sm:pl-0">{actions}</div>}
  </div>
);

export const Empty = ({
  icon,
  title,
  children,
  action,
  page = false,
}: {
  icon: IconName;
  title: string;
  /** Set when it is the whole page, whose heading its title then is. */
  page?: boolean;
  children: ReactNode;
  action?: ReactNode;
}) => (
  <div className="flex flex-col items-center px-6 py-16 text-center">
    <span className="mb-4 grid size-14 place-items-center rounded-2xl bg-sunken text-ink-3">
      <Icon name={icon} className="size-7" />
    </span>
    {page ? <h1 className="text-base font-semibold">{title}</h1> : <p className="text-base font-semibold">{title}</p>}
    <div className="mt-1 max-w-md text-sm text-ink-2">{children}</div>
    {action !== undefined && <div className="mt-5">{action}</div>}
  </div>
);

export const Spinner = ({ label, small = false }: { label: string; small?: boolean }) => (
  <div
    role="status"
    className={`flex items-center gap-3 text-sm text-ink-3 ${small ? "py-2" : "justify-center px-6 py-16"}`}
  >
    <span className="size-4 animate-spin rounded-full border-2 border-line border-t-accent-fill" aria-hidden="true" />
    {label}
  </div>
);

export const Page = ({
  title,
  intro,
  actions,
  children,
  tight = false,
}: {
  title: ReactNode;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** For lists: the heading leaves the room to what follows. */
  tight?: boolean;
}) => (
  <>
    <header
      className={
        tight
          ? "mb-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-2"
          : "mb-6 flex flex-col gap-4 sm:flex-row sm:items-end sm:justify-between"
      }
    >
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {intro !== undefined && <div className="mt-1.5 max-w-2xl text-sm text-ink-2">{intro}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
    {children}
  </>
);

export const Card = ({
  title,
  aside,
  children,
  className = "",
  id,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
  /** For links to it. */
  id?: string;
}) => (
  <section id={id} className={`card min-w-0 scroll-mt-20 p-5 ${className}`} aria-label={title}>
    <div className="mb-4 flex items-center justify-between gap-3">
      <h2 className="text-base font-semibold">{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

/** A text that may carry the last lines of a log: three lines of it, and all of it when asked for. */
export function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length < 220) return <span className="wrap-anywhere">{text}</span>;
  return (
    <>
      <span className={`wrap-anywhere ${open ? "" : "line-clamp-3"}`}>{text}</span>
      <button
        type="button"
        aria-expanded={open}
        className="rounded-sm text-[13px] font-medium text-accent hover:underline"
        onClick={() => setOpen(!open)}
      >
        {open ? "Show less" : "Show all"}
      </button>
    </>
  );
}

/**
 * Holds what may be wider than the screen, and says so where it is. It takes the focus, so that arrow keys can scroll it.
 */
export function Sideways({
  label,
  className = "",
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const [beyond, setBeyond] = useState({ left: false, right: false });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => {
      const rest = element.scrollWidth - element.clientWidth - element.scrollLeft;
      const next = { left: element.scrollLeft > 1, right: rest > 1 };
      setBeyond((old) => (old.left === next.left && old.right === next.right ? old : next));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const wider = beyond.left || beyond.right;
  return (
    <div className="relative">
      {wider && (
        <p aria-hidden="true" className="mb-1.5 text-right text-[13px] text-ink-3">
          Scroll sideways to see all of it
        </p>
      )}
      <section
        ref={box}
        aria-label={wider ? `${label}, scrolls sideways` : label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        data-left={beyond.left}
        data-right={beyond.right}
        className={`sideways relative overflow-x-auto ${className}`}
      >
        {children}
      </section>
    </div>
  );
}

/** Line icons on a 24-unit grid, drawn for this dashboard. They decorate: words beside them carry the meaning. */
const shapes = {
  layers: "M12 3 3 8l9 5 9-5-9-5ZM3 12.5l9 5 9-5M3 17l9 5 9-5",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  archive: "M3 5h18v4H3zM5 9v10h14V9M10 13h4",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5",
  pin: "M9 4h6l-1 6 3.5 4h-11L10 10zM12 14v6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  auto: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 3v18",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4 21c.5-4 3.5-6 8-6s7.5 2 8 6",
  shield: "M12 3 4.5 6v5.5c0 4.5 3 7.5 7.5 9.5 4.5-2 7.5-5 7.5-9.5V6zM9 12l2 2 4-4.5",
  gauge: "M4 18a9 9 0 1 1 16 0M12 14l4-5",
  warning: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
  check: "M5 12.5l4.5 4.5L19 7.5",
  close: "M6 6l12 12M18 6 6 18",
  refresh: "M20 11a8 8 0 0 0-14-4.5L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4.5l2-2.5M20 20v-5h-5",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l9-9M17 6l3 3M14 9l2 2",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17.5 14h.01M6.5 14h.01M9 14h6",
  offline:
    "M3 3l18 18M8.5 15.5a5 5 0 0 1 5.5-1M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-4.5-2.5M2 8.5A15 15 0 0 1 6 6M22 8.5A15 15 0 0 0 11 5M12 19h.01",
  signout: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  sort: "M12 5v14M7 14l5 5 5-5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  light: "M12 3a6 6 0 0 0-3.5 11v3h7v-3A6 6 0 0 0 12 3ZM9.5 21h5",
} as const;
export type IconName = keyof typeof shapes;

export const Icon = ({ name, className = "size-4" }: { name: IconName; className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    aria-hidden="true"
    focusable="false"
    className={`shrink-0 ${className}`}
    fill="none"
    stroke="currentColor"
    strokeWidth={name === "more" ? 3 : 1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={shapes[name]} />
  </svg>
);

export const Logo = ({ className = "size-7" }: { className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false" className={`shrink-0 ${className}`}>
    <rect width="32" height="32" rx="8" className="fill-accent-fill" />
    <path
      d="M9 20.5 16 24l7-3.5M9 16l7 3.5 7-3.5M16 8l-7 3.5 7 3.5 7-3.5z"
      fill="none"
      stroke="#fff"
      strokeWidth="2"
      strokeLinejoin="round"
      strokeLinecap="round"
    />
  </svg>
);

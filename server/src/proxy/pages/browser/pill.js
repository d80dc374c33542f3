/**
 * A small pill in the IDE's own bar that says which workspace this is and when it falls asleep. It knows what the tab's
 * script is told, sends nothing of its own but the request to be kept awake, and everything else is a link to the
 * dashboard: whatever runs in the workspace can do the same on this origin. It lies on the IDE's bars and never on the
 * editor; where there is no bar, there is only the warning.
 */

/** @typedef {{ name: string, page: string, dashboard: string, sleeps_in_ms: number | null, warn_ms: number, awake_ms: number, awake_left_ms: number, disk: { used_bytes: number, total_bytes: number, shared: boolean } | null }} Pill */

// biome-ignore lint/correctness/noUnusedVariables: tab.js is put behind this and calls it.
const showPill = (() => {
  const KEPT = "codehub-pill";
  const css = `
    :host { all: initial; }
    * { box-sizing: border-box; font: 12px/1.4 system-ui, sans-serif; }
    .root { --back: #ffffff; --text: #1c2330; --dim: #5b6577; --line: #d5dae3; --accent: #4f46e5; --on-accent: #ffffff; color: var(--text); }
    .root.dark { --back: #1b202b; --text: #e7ebf3; --dim: #a2adc0; --line: #3a4254; --accent: #a5b4fc; --on-accent: #14161c; }
    .pill { position: fixed; z-index: 2147483640; display: flex; align-items: center; gap: 6px; max-width: 46vw; margin: 0; padding: 0 8px;
      border: 1px solid var(--line); border-radius: 999px; background: var(--back); color: var(--text); cursor: pointer; white-space: nowrap;
      touch-action: none; user-select: none; }
    .pill b { overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
    .pill span { color: var(--dim); }
    .pill.small { padding: 0 5px; }
    .pill.small b, .pill.small span { display: none; }
    .pill i { width: 8px; height: 8px; border-radius: 50%; background: #16a34a; flex: none; }
    .pill.soon i { background: #d97706; }
    .menu, .warning { position: fixed; z-index: 2147483641; min-width: 240px; max-width: min(340px, 94vw); padding: 12px; border: 1px solid var(--line);
      border-radius: 12px; background: var(--back); box-shadow: 0 8px 32px rgb(0 0 0 / 30%); }
    .menu p, .warning p { margin: 0 0 8px; overflow-wrap: anywhere; }
    .menu p:first-child, .warning p:first-child { font-weight: 650; font-size: 13px; }
    .menu .dim { color: var(--dim); }
    .item { display: block; width: 100%; min-height: 32px; padding: 6px 8px; border: 0; border-radius: 8px; background: transparent; color: var(--text);
      text-align: left; text-decoration: none; cursor: pointer; }
    .item:hover, .item:focus-visible { background: var(--line); }
    .item:disabled { color: var(--dim); cursor: default; background: transparent; }
    .warning { right: 12px; bottom: 34px; }
    .pill.full i { background: #dc2626; }
    .disk { bottom: 150px; }
    .stay { min-height: 32px; padding: 4px 12px; border: 0; border-radius: 8px; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  `;

  /**
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} tag
   * @param {string} className
   * @param {string} [text]
   */
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  /** @param {number} ms */
  const inWords = (ms) => {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 120) return `${minutes} min`;
    return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
  };

  /** What somebody chose for the pill, in this browser: where it is, and whether it is only a dot. */
  const kept = () => {
    /** @type {{ part?: string, share?: number, small?: boolean }} */
    let chosen = {};
    try {
      chosen = JSON.parse(localStorage.getItem(KEPT) ?? "{}") ?? {};
    } catch {
      // Nobody can write there, or somebody else did.
    }
    const share = Number(chosen.share);
    return {
      part: chosen.part === "titlebar" ? "titlebar" : "statusbar",
      share: share >= 0 && share <= 1 ? share : 0.5,
      small: chosen.small === true,
    };
  };
  /** @param {Partial<ReturnType<typeof kept>>} change */
  const keep = (change) => {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...change }));
    } catch {
      // Then it is so until the page is loaded again.
    }
  };

  /** @type {Pill | null} */
  let told = null;
  let toldAt = 0;
  /** When somebody last did something here: the server hears of that a moment later. */
  let answeredAt = -Infinity;
  let dragged = false;

  const host = make("div", "");
  host.id = "codehub-pill";
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const root = make("div", "root");
  shadow.append(root);
  const pill = make("button", "pill");
  pill.type = "button";
  pill.setAttribute("aria-haspopup", "true");
  const name = make("b", "");
  const time = make("span", "");
  pill.append(make("i", ""), name, time);
  root.append(pill);
  /** @type {HTMLElement | null} */
  let menu = null;
  /** @type {HTMLElement | null} */
  let warning = null;
  /** @type {HTMLElement | null} */
  let full = null;
  /** How full the disk was when somebody was told and said so. */
  let knownFull = 0;

  /** @param {string} part */
  const barOf = (part) => {
    const rect = document.getElementById(`workbench.parts.${part}`)?.getBoundingClientRect();
    return rect !== undefined && rect.height >= 16 && rect.width > 100 ? rect : null;
  };
  const bar = () => {
    const { part } = kept();
    return barOf(part) ?? barOf(part === "statusbar" ? "titlebar" : "statusbar");
  };
  const place = () => {
    const rect = bar();
    pill.hidden = rect === null;
    pill.style.display = rect === null ? "none" : "";
    if (rect === null) return;
    const height = Math.min(rect.height - 2, 24);
    const width = pill.offsetWidth;
    const left = rect.left + (rect.width - width) * kept().share;
    pill.style.height = `${height}px`;
    pill.style.top = `${rect.top + (rect.height - height) / 2}px`;
    pill.style.left = `${Math.max(rect.left, left)}px`;
  };

  const sleepsIn = () =>
    told === null || told.sleeps_in_ms === null ? null : Math.max(0, told.sleeps_in_ms - (performance.now() - toldAt));

  const closeMenu = () => {
    if (menu === null) return;
    const inside = menu.contains(shadow.activeElement);
    menu.remove();
    menu = null;
    pill.setAttribute("aria-expanded", "false");
    if (inside) pill.focus();
  };
  const keepAwake = async () => {
    closeMenu();
    const answer = await fetch("/.codehub/awake", { method: "POST", cache: "no-store" }).catch(() => null);
    if (answer?.ok) tell((await answer.json()).pill);
  };
  /** @param {string} text @param {string} href */
  const link = (text, href) => {
    const item = make("a", "item", text);
    item.href = href;
    item.target = "_blank";
    item.rel = "noopener";
    item.addEventListener("click", closeMenu);
    return item;
  };
  /** @param {string} text @param {() => void} run */
  const button = (text, run) => {
    const item = make("button", "item", text);
    item.type = "button";
    item.addEventListener("click", run);
    return item;
  };
  const openMenu = () => {
    if (told === null) return;
    const left = sleepsIn();
    menu = make("div", "menu");
    menu.setAttribute("role", "dialog");
    menu.setAttribute("aria-label", `Workspace ${told.name}`);
    const words =
      left === null
        ? "It runs and does not fall asleep by itself."
        : told.awake_ms > 0
          ? `It runs and is kept awake for ${inWords(told.awake_ms)}.`
          : `It runs. With nobody in it, it goes to standby in ${inWords(left)}.`;
    menu.append(make("p", "", told.name), make("p", "dim", words));
    if (told.disk !== null) menu.append(make("p", "", diskWords(told.disk)), link("Free some space", told.page));
    const more = button(
      told.awake_left_ms > 0 ? "Keep awake for an hour" : "No more time to keep it awake today",
      () => void keepAwake(),
    );
    more.disabled = told.awake_left_ms <= 0;
    const { small } = kept();
    const size = button(small ? "Show the name" : "Show only a dot", () => {
      keep({ small: !small });
      closeMenu();
      show();
    });
    if (left !== null) menu.append(more);
    menu.append(link("Ports", `${told.page}#ports`), link("Settings, stop, delete", told.page));
    menu.append(link("Back to the dashboard", told.dashboard), size);
    root.append(menu);
    pill.setAttribute("aria-expanded", "true");
    const from = pill.getBoundingClientRect();
    const below = from.top < innerHeight / 2;
    menu.style.left = `${Math.max(8, Math.min(from.left, innerWidth - menu.offsetWidth - 8))}px`;
    if (below) menu.style.top = `${from.bottom + 6}px`;
    else menu.style.bottom = `${innerHeight - from.top + 6}px`;
    const [first] = menu.querySelectorAll("a, button:not(:disabled)");
    if (first instanceof HTMLElement) first.focus();
  };

  /** Whether it is about to fall asleep and nobody has done anything since that was so. */
  const isDue = () => {
    const left = sleepsIn();
    return told !== null && left !== null && left <= told.warn_ms && performance.now() - answeredAt > told.warn_ms;
  };
  const warn = () => {
    const left = sleepsIn();
    if (!isDue() || told === null || left === null) {
      warning?.remove();
      warning = null;
      return;
    }
    if (warning === null) {
      warning = make("div", "warning");
      warning.setAttribute("role", "alert");
      const stay = make("button", "stay", "Keep awake for an hour");
      stay.type = "button";
      stay.addEventListener("click", () => void keepAwake());
      warning.append(make("p", "", `${told.name} is about to sleep`), make("p", ""));
      if (told.awake_left_ms > 0) warning.append(stay);
      root.append(warning);
    }
    const [, words] = warning.querySelectorAll("p");
    if (words !== undefined)
      words.textContent = `In ${inWords(left)} it goes to standby: what runs in it ends, its files stay. Press any key to go on.`;
  };

  /** @param {NonNullable<Pill["disk"]>} disk */
  const percentOf = (disk) => Math.min(100, Math.floor((disk.used_bytes / disk.total_bytes) * 100));
  /** @param {NonNullable<Pill["disk"]>} disk */
  const diskWords = (disk) => `The disk ${disk.shared ? "of all homes" : "of this home"} is ${percentOf(disk)} % full.`;
  /** Until somebody says that it is known, and again when it is fuller. */
  const warnOfDisk = () => {
    const disk = told?.disk ?? null;
    const percent = disk === null ? 0 : percentOf(disk);
    if (disk === null) knownFull = 0;
    if (disk === null || told === null || percent <= knownFull) {
      full?.remove();
      full = null;
      return;
    }
    if (full === null) {
      full = make("div", "warning disk");
      full.setAttribute("role", "alert");
      const known = make("button", "stay", "Close");
      known.type = "button";
      known.addEventListener("click", () => {
        knownFull = told?.disk ? percentOf(told.disk) : 0;
        warnOfDisk();
      });
      const words = make("p", "", "When it is full, programs fail to save.");
      full.append(make("p", ""), words, link("Free some space", told.page), known);
      root.append(full);
    }
    const title = full.querySelector("p");
    if (title !== null && title.textContent !== diskWords(disk)) title.textContent = diskWords(disk);
  };

  const show = () => {
    if (told === null) return;
    const left = sleepsIn();
    const words =
      left === null ? "" : told.awake_ms > 0 ? `awake ${inWords(told.awake_ms)}` : `sleeps in ${inWords(left)}`;
    if (name.textContent !== told.name) name.textContent = told.name;
    // Somebody who works in it is not shown seconds: it is asked for every few of them only.
    if (time.textContent !== words) time.textContent = words;
    const label = words === "" ? `Workspace ${told.name}` : `Workspace ${told.name}, ${words}`;
    if (pill.getAttribute("aria-label") !== label) pill.setAttribute("aria-label", label);
    pill.classList.toggle("small", kept().small);
    pill.classList.toggle("soon", left !== null && left <= told.warn_ms);
    const workbench = document.querySelector(".monaco-workbench");
    root.classList.toggle("dark", workbench?.matches(".vs-dark, .hc-black") === true);
    pill.classList.toggle("full", told.disk !== null);
    place();
    warn();
    warnOfDisk();
  };

  /** @param {Pill | null} now */
  const tell = (now) => {
    told = now;
    toldAt = performance.now();
    if (now === null) {
      closeMenu();
      warning?.remove();
      warning = null;
      full?.remove();
      full = null;
      return host.remove();
    }
    if (!host.isConnected) document.body.append(host);
    show();
  };

  pill.addEventListener("click", () => {
    if (dragged) dragged = false;
    else if (menu === null) openMenu();
    else closeMenu();
  });
  pill.addEventListener("pointerdown", (down) => {
    pill.setPointerCapture(down.pointerId);
    dragged = false;
    const move = (/** @type {PointerEvent} */ at) => {
      if (!dragged && Math.hypot(at.clientX - down.clientX, at.clientY - down.clientY) < 6) return;
      dragged = true;
      closeMenu();
      const part = at.clientY < innerHeight / 2 && barOf("titlebar") !== null ? "titlebar" : "statusbar";
      const rect = barOf(part) ?? bar();
      if (rect === null) return;
      const room = Math.max(1, rect.width - pill.offsetWidth);
      keep({ part, share: Math.min(1, Math.max(0, (at.clientX - pill.offsetWidth / 2 - rect.left) / room)) });
      place();
    };
    pill.addEventListener("pointermove", move);
    pill.addEventListener("lostpointercapture", () => pill.removeEventListener("pointermove", move), { once: true });
  });
  shadow.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    if (event.key === "Escape") closeMenu();
    // With the keyboard it is moved by the arrows, while it has the focus.
    const step = { ArrowLeft: -0.05, ArrowRight: 0.05 }[event.key];
    if (step !== undefined && shadow.activeElement === pill) {
      keep({ share: Math.min(1, Math.max(0, kept().share + step)) });
      place();
    }
    // What is pressed here is not meant for the editor.
    if (event.key !== "Tab") event.stopPropagation();
  });
  // The IDE tells the server that somebody is there; here it is only known that the warning has been answered.
  for (const kind of ["keydown", "pointerdown"])
    document.addEventListener(
      kind,
      (event) => {
        if (!event.isTrusted) return;
        answeredAt = performance.now();
        if (!event.composedPath().includes(host)) {
          closeMenu();
          warn();
        }
      },
      { capture: true },
    );
  addEventListener("resize", place);
  return tell;
})();

/**
 * Runs beside the IDE in its tab and says so when the workspace behind it has gone: to standby, to the trash, or because
 * its owner signed out. The IDE by itself would only say that it cannot reconnect. It asks us, not the container, so it
 * is no activity and wakes nothing; only the link does, because a person has to follow it.
 */
(() => {
  /** @typedef {{ state: string, heading: string, message: string, action: string, href: string, pill: Pill | null }} Word What it is told. */

  const styles = {
    cover:
      "position:fixed;inset:0;z-index:2147483646;display:grid;place-items:center;font:16px/1.55 system-ui,sans-serif;",
    light: "background:#f6f7f9;color:#1c2330",
    dark: "background:#0f1218;color:#e7ebf3",
    opening: "margin:0;font-size:20px;font-weight:600;overflow-wrap:anywhere",
    back: "position:fixed;inset:0;z-index:2147483647;display:grid;place-items:center;padding:24px;background:rgb(12 14 20/60%);font:16px/1.55 system-ui,sans-serif",
    card: "max-width:480px;padding:32px;border-radius:16px;background:#fff;color:#1c2330;box-shadow:0 12px 48px rgb(0 0 0/35%)",
    heading: "margin:0 0 8px;font-size:22px;line-height:1.25;font-weight:650;overflow-wrap:anywhere",
    message: "margin:0 0 24px;color:#5b6577",
    go: "display:inline-block;margin-right:10px;padding:10px 18px;border-radius:10px;background:#4f46e5;color:#fff;font-weight:600;text-decoration:none",
    stay: "padding:10px 18px;border:1px solid #d5dae3;border-radius:10px;background:transparent;color:#1c2330;font:inherit;font-weight:600;cursor:pointer",
  };
  /**
   * @template {"div" | "h1" | "p" | "a" | "button"} Tag
   * @param {Tag} tag
   * @param {string} style
   * @param {string} text
   */
  const make = (tag, style, text) => {
    const element = document.createElement(tag);
    element.style.cssText = style;
    element.textContent = text;
    return element;
  };
  /** @type {HTMLElement | null} */
  let back = null;
  let shown = "";
  let away = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const hide = () => {
    back?.remove();
    back = null;
  };
  /** @param {Word} word */
  const show = ({ heading, message, action, href }) => {
    const now = heading + message;
    if (now === shown) return;
    shown = now;
    hide();
    back = make("div", styles.back, "");
    back.id = "codehub-away";
    const card = make("div", styles.card, "");
    card.setAttribute("role", "alertdialog");
    card.setAttribute("aria-label", heading);
    const go = make("a", styles.go, action);
    go.href = href;
    const stay = make("button", styles.stay, "Stay on this page");
    stay.addEventListener("click", hide);
    card.append(make("h1", styles.heading, heading), make("p", styles.message, message), go, stay);
    back.append(card);
    document.body.append(back);
    go.focus();
  };
  /** @param {Word} now */
  const judge = (now) => {
    if (now.state === "ready" && !away) return;
    if (now.state === "waking" && !away) return;
    away = true;
    show(now);
  };
  const meta = "vscode-workbench-web-configuration";
  const ahead = document.currentScript?.dataset["ahead"];
  const begun = performance.now();
  /** @type {HTMLElement | null} */
  let cover = null;
  /** Until there is something of the IDE to be seen, its page is white. */
  const coverUp = () => {
    const dark = matchMedia("(prefers-color-scheme:dark)").matches;
    cover = make("div", styles.cover + (dark ? styles.dark : styles.light), "");
    cover.id = "codehub-opening";
    cover.setAttribute("role", "status");
    cover.append(make("p", styles.opening, ahead === undefined ? "Opening the IDE…" : `Waking ${ahead}…`));
    document.body.append(cover);
    new PerformanceObserver((list, observer) => {
      if (list.getEntriesByName("code/didStartWorkbench").length === 0) return;
      observer.disconnect();
      uncover();
    }).observe({ type: "mark", buffered: true });
    // One that does not come up has something to say about it.
    setTimeout(uncover, 20000);
  };
  const uncover = () => {
    cover?.remove();
    cover = null;
  };
  const nameSheet = new CSSStyleSheet();
  /** A home, where people have it, and where a server that is not root keeps it. */
  const homes = /^(?:\/home\/(coder)|\/.+\/homes\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))\/?$/;
  /**
   * The Explorer heads its files with the folder's name. Where that is the home, it is the same in every workspace, or an id; a
   * project's folder has a name of its own.
   * @param {string} name
   */
  const nameHome = (name) => {
    const [, usual, kept] = homes.exec(new URLSearchParams(location.search).get("folder") ?? "") ?? [];
    const text = name.replace(/["\\]|\p{C}/gu, (sign) => `\\${sign.codePointAt(0)?.toString(16)} `);
    const title = `#workbench\\.view\\.explorer .pane-header[aria-label$=": ${usual ?? kept}"] > .title`;
    const css = `${title} { font-size: 0; } ${title}::after { content: "${text}"; font-size: 11px; }`;
    nameSheet.replaceSync((usual ?? kept) === undefined ? "" : css);
    if (!document.adoptedStyleSheets.includes(nameSheet)) document.adoptedStyleSheets.push(nameSheet);
  };
  /**
   * The page came before its container ran; one that runs another IDE by now would have sent another. Asked at once: the
   * answer waits for the container, which loads the better half of the IDE only when it is asked for its page.
   */
  const compare = async () => {
    const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (!answer?.ok) return;
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    const settings = (/** @type {Document} */ page) => page.getElementById(meta)?.dataset["settings"];
    if (settings(now) !== settings(document)) location.reload();
  };
  /** Loading ahead is of use for a moment only: what takes longer is shown at the door, as is what does not start at all. */
  const giveUp = (/** @type {Word} */ { state, href }) => {
    if (state === "ready" || (state === "waking" && performance.now() - begun < 8000)) return;
    location.replace(state === "waking" ? `${href}?wait=1` : href);
  };
  const ask = async () => {
    clearTimeout(timer);
    try {
      const answer = await fetch("/.codehub/state", { cache: "no-store" });
      if (answer.ok) {
        const now = await answer.json();
        if (cover !== null && ahead !== undefined) giveUp(now);
        else judge(now);
        if (cover === null && document.getElementById(meta)) showPill(away ? null : now.pill);
        if (now.pill !== null) nameHome(now.pill.name);
      }
    } catch {
      // The server itself is away; the IDE says by itself that it reconnects.
    }
    clearTimeout(timer);
    timer = setTimeout(ask, cover !== null ? 1000 : document.hidden ? 15000 : 3000);
  };
  document.addEventListener("visibilitychange", () => void (document.hidden || ask()));
  if (document.getElementById(meta)) coverUp();
  if (ahead !== undefined) void compare();
  timer = setTimeout(ask, cover === null ? 3000 : 1000);
})();

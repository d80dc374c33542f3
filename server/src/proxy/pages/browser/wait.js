/**
 * The only script on our pages: asks how far the workspace is and shows it, and opens the IDE when it is ready. It is
 * always the same, so that the policy can name it by its hash; everything it needs comes in data attributes.
 */
(() => {
  /** @typedef {{ state: string, label: string, detail: string, said: string, percent: number | null }} Step */
  /** @typedef {{ state: string, heading: string, message: string, slot_free?: boolean, ahead?: boolean, version?: number, can_skip?: boolean, steps: Step[] }} Status */

  const { status = "", open = "", wake = "", room } = document.body.dataset;
  const steps = document.getElementById("steps");
  const skip = document.getElementById("skip");
  const heading = /** @type {HTMLElement} */ (document.getElementById("heading"));
  const message = /** @type {HTMLElement} */ (document.getElementById("message"));
  let shown = document.body.dataset["state"];
  let woken = false;
  let failures = 0;
  let seen = "";
  /** @param {Step} step */
  const line = (step) => {
    const item = document.createElement("li");
    item.className = step.state;
    const label = document.createElement("span");
    label.className = "label";
    label.textContent = step.label;
    item.append(label);
    for (const name of /** @type {const} */ (["detail", "said"])) {
      if (!step[name]) continue;
      const words = document.createElement("span");
      words.className = name;
      words.textContent = step[name];
      item.append(words);
    }
    if (step.percent !== null) {
      const bar = document.createElement("progress");
      bar.max = 100;
      bar.value = step.percent;
      bar.setAttribute("aria-label", step.label);
      item.append(bar);
    }
    return item;
  };
  /** @param {Status} now */
  const show = (now) => {
    // The IDE's page can be loaded while its container starts.
    if (now.state === "ready" || now.ahead) return location.replace(open);
    if (room && now.state === "asleep") {
      if (now.slot_free && !woken) {
        woken = true;
        fetch(wake, { method: "POST", redirect: "manual" }).catch(() => {
          woken = false;
        });
      }
    } else if (now.state !== shown && !(room && now.state === "waking")) return location.replace(location.href);
    shown = now.state;
    heading.textContent = now.heading;
    message.textContent = now.message;
    if (skip) skip.hidden = now.can_skip !== true;
    if (steps) steps.replaceChildren(...now.steps.map(line));
  };
  const ask = async () => {
    try {
      // The server answers when there is news of the workspace, and otherwise in its own time.
      const answer = await fetch(status + seen, { cache: "no-store", headers: { accept: "application/json" } });
      if (answer.status === 401 || answer.status === 404) return location.replace(location.href);
      if (!answer.ok) throw new Error(String(answer.status));
      failures = 0;
      const now = await answer.json();
      seen = now.version === undefined ? "" : `${status.includes("?") ? "&" : "?"}after=${now.version}`;
      show(now);
    } catch {
      failures += 1;
      if (failures === 3) message.textContent = "The server does not answer at the moment. This page keeps trying.";
    }
    setTimeout(ask, document.hidden ? 3000 : failures > 2 ? 2000 : failures > 0 || seen === "" ? 600 : 50);
  };
  void ask();
})();

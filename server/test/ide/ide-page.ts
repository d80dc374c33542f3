import type { Locator, Page, WebSocket } from "playwright-core";
import { PATIENCE_MS, until } from "./until.ts";

/** Long enough for one try on a busy machine; what fails is tried again. */
const TRY_MS = 20_000;

/** code-server's page as a person uses it: by what is to be seen, with mouse and keyboard. */
export class IdePage {
  readonly page: Page;
  readonly workspaceId: string;
  /** Every WebSocket the page ever asked for. */
  readonly sockets: WebSocket[] = [];
  /** Clicks that a loading IDE did not heed, and that were made once more. */
  clicksAgain = 0;

  /** The workspace is the one whose door was taken; its address may be anything. */
  constructor(page: Page, workspaceId = "") {
    this.page = page;
    this.workspaceId = workspaceId;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("websocket", (socket) => this.sockets.push(socket));
  }

  /** The explorer shows the home, both connections of the IDE are made, and it has put everything in its place. */
  async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor();
    await until("two open connections of the IDE", () => this.open.length >= 2);
    // Before that it may still take the focus away from what somebody has just opened.
    const restored = `performance.getEntriesByName("code/LifecyclePhase/Restored").length > 0`;
    await until("an IDE that is all there", () => this.page.evaluate<boolean>(restored).catch(() => false));
  }

  get open(): readonly WebSocket[] {
    return this.sockets.filter((socket) => !socket.isClosed());
  }

  /** What we lay over the IDE when its workspace has gone. */
  get away(): Locator {
    return this.page.locator("#codehub-away");
  }

  get #editor(): Locator {
    return this.page.locator(".part.editor .monaco-editor .view-lines").first();
  }

  /** One click on the explorer's button; the rest is typing. An IDE that is still loading may drop the box: then again. */
  async newFile(name: string): Promise<void> {
    const box = this.page.locator(".explorer-folders-view input");
    let begun = 0;
    await until(`the new file ${name}`, async () => {
      if ((await this.#row(name).count()) > 0) return true;
      try {
        await this.page.locator(".explorer-folders-view").hover({ timeout: TRY_MS });
        begun += 1;
        await this.page.getByRole("button", { name: "New File..." }).first().click({ timeout: TRY_MS });
        await box.fill(name, { timeout: TRY_MS });
        await box.press("Enter", { timeout: TRY_MS });
        await this.#row(name).waitFor({ timeout: TRY_MS });
        return true;
      } catch {
        return false;
      }
    });
    this.clicksAgain += begun - 1;
    await this.#opened(name);
  }

  #row(name: string): Locator {
    return this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
  }

  /** In the explorer, below the folder that is open. */
  async lists(name: string): Promise<void> {
    await this.#row(name).waitFor();
  }

  async openFile(name: string): Promise<void> {
    await this.#row(name).dblclick();
    await this.#opened(name);
  }

  async #opened(name: string): Promise<void> {
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.#editor.waitFor();
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+S");
  }

  async shows(text: string): Promise<void> {
    await until(`the editor to show ${text}`, () => this.#isShown(text));
  }

  async #isShown(text: string): Promise<boolean> {
    return plain(await this.#editor.locator(".view-line").allTextContents()).includes(text);
  }

  /** Types into the new file that is open. What an IDE that moves the focus has swallowed is typed again, after one more click. */
  async write(text: string): Promise<void> {
    let isFirst = true;
    await until(`the editor to show ${text}`, async () => {
      if (!isFirst) {
        this.clicksAgain += 1;
        await this.#editor.click();
        await this.page.keyboard.press("Control+A");
      }
      isFirst = false;
      await this.page.keyboard.type(text);
      return await until("", () => this.#isShown(text.trim()), TRY_MS).then(
        () => true,
        () => false,
      );
    });
  }

  /**
   * Opens a terminal and waits for its shell's prompt. By its key, not from the palette: an IDE that is still loading has
   * no command to create a terminal, and a palette that was opened then never gets one; the view waits until it can.
   */
  async openTerminal(): Promise<void> {
    await until("a terminal", async () => {
      await this.page.keyboard.press("Control+Backquote");
      return await this.#terminal.waitFor({ timeout: TRY_MS }).then(
        () => true,
        () => false,
      );
    });
    await this.printed(/[$#] /);
  }

  /**
   * Types a line and, when it is to be seen, sends it: what an IDE that moves the focus has swallowed is typed again, and so is
   * what a shell forgot that drew its prompt anew while it was setting itself up.
   */
  async run(line: string): Promise<void> {
    const end = line.slice(-20).replaceAll(/\s/g, "");
    const seen = async (): Promise<boolean> => (await this.#printed()).replaceAll(/\s/g, "").includes(end);
    await until(`the terminal to take ${line}`, async () => {
      await this.#terminal.focus();
      await this.page.keyboard.insertText(line);
      if (!(await until("", seen, TRY_MS).catch(() => false))) {
        await this.page.keyboard.press("Control+C");
        return false;
      }
      const before = await this.#printed();
      await this.page.keyboard.press("Enter");
      await until("an answer of the shell", async () => (await this.#printed()) !== before);
      return await seen();
    });
  }

  async printed(text: RegExp): Promise<void> {
    await until(`the terminal to print ${text}`, async () => text.test(await this.#printed()));
  }

  /** What is to be seen of the terminal. */
  terminalText(): Promise<string> {
    return this.#printed();
  }

  /** The line that sticks to the top of a long output is a second one. */
  get #terminal(): Locator {
    return this.page.locator(".terminal-wrapper.active .xterm-helper-textarea").first();
  }

  async #printed(): Promise<string> {
    return plain(await this.page.locator(".terminal-wrapper.active .xterm-rows > div").allTextContents());
  }
}

/** The IDE writes spaces that are not plain ones. */
const plain = (lines: readonly string[]): string => lines.join("\n").replaceAll(/[\u00a0\u00b7]/g, " ");

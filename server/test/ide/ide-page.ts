import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Locator, Page, WebSocket } from "playwright-core";
import { until } from "./until.ts";

const SCREENSHOTS = resolve(import.meta.dirname, "../../../screenshots");

/** code-server's page as a person uses it: by what is to be seen, with mouse and keyboard. */
export class IdePage {
  readonly page: Page;
  /** Every WebSocket the page ever asked for. */
  readonly sockets: WebSocket[] = [];

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(120_000);
    page.on("websocket", (socket) => this.sockets.push(socket));
  }

  get workspaceId(): string {
    return new URL(this.page.url()).hostname.split(".")[0] ?? "";
  }

  /** The explorer shows the home, and both connections of the IDE are made. */
  async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor();
    await until("two open connections of the IDE", () => this.open.length >= 2);
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

  /** One click on the explorer's button; the rest is typing. */
  async newFile(name: string): Promise<void> {
    await this.page.locator(".explorer-folders-view").hover();
    await this.page.getByRole("button", { name: "New File..." }).first().click();
    const box = this.page.locator(".explorer-folders-view input");
    await box.fill(name);
    await box.press("Enter");
    await this.#opened(name);
  }

  async openFile(name: string): Promise<void> {
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
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
    const lines = this.#editor.locator(".view-line");
    await until(`the editor to show ${text}`, async () => plain(await lines.allTextContents()).includes(text));
  }

  /** Opens a terminal and waits for its shell's prompt. */
  async openTerminal(): Promise<void> {
    const box = this.page.locator(".quick-input-widget input").first();
    const choice = this.page.locator(".quick-input-list .monaco-list-row", { hasText: "Create New Terminal" }).first();
    // While the IDE is still arranging itself it may take the focus away, and the palette closes again.
    await until("the palette with the command", async () => {
      try {
        await this.page.keyboard.press("F1");
        await box.fill(">Terminal: Create New Terminal", { timeout: 5_000 });
        await choice.click({ timeout: 5_000 });
        return true;
      } catch {
        return false;
      }
    });
    await this.printed(/[$#] /);
  }

  async run(line: string): Promise<void> {
    // The line that sticks to the top of a long output is a second terminal.
    await this.page.locator(".terminal-wrapper.active .xterm-helper-textarea").first().focus();
    await this.page.keyboard.insertText(line);
    await this.page.keyboard.press("Enter");
  }

  async printed(text: RegExp): Promise<void> {
    const rows = this.page.locator(".terminal-wrapper.active .xterm-rows > div");
    await until(`the terminal to print ${text}`, async () => text.test(plain(await rows.allTextContents())));
  }
}

/** The IDE writes spaces that are not plain ones. */
const plain = (lines: readonly string[]): string => lines.join("\n").replaceAll(/[\u00a0\u00b7]/g, " ");

/** For people to look at; git ignores them. A page that is just being left cannot be had, and is not waited for. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), timeout: 5_000 }).catch(() => undefined);
}

/**
 * The built page in a real browser, as a person has it before them.
 */
import { after } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchChromium } from "../../scripts/chromium.ts";
import { servePage } from "../../scripts/server.ts";

/** One for all tests, and one server. */
const browser = await launchChromium();
const { address, server } = await servePage();
after(async () => {
  await browser.close();
  server.close();
});

/** A file that is chosen or dropped: a path, or what is in it. */
export type GivenFile = string | { readonly name: string; readonly text: string };

export interface VisitOptions extends BrowserContextOptions {
  /** What stands behind the address, with its `#`. */
  readonly hash?: string;
  /** Where the page is, if not on the server. */
  readonly at?: string;
}

/** The page in a context of its own, with everything that it asked for or complained of. */
export class Visit implements AsyncDisposable {
  readonly page: Page;
  readonly requests: string[] = [];
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
  }

  static async begin({ hash = "", at = address, ...options }: VisitOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(10_000);
    const visit = new Visit(await context.newPage());
    await visit.page.goto(`${at}${hash}`);
    return visit;
  }

  /** Chooses a file, as in the browser's own dialog, and waits until it is shown. */
  async open(file: GivenFile): Promise<void> {
    await this.choose(file);
    await this.windows.first().waitFor();
  }

  async choose(file: GivenFile): Promise<void> {
    const given = typeof file === "string" ? file : { name: file.name, mimeType: "", buffer: Buffer.from(file.text) };
    await this.page.locator("input[type=file]").setInputFiles(given);
  }

  /** The links to the windows. */
  get windows(): Locator {
    return this.page.getByRole("navigation").getByRole("link", { name: /^Window \d/ });
  }

  /** Goes to a window, counted from the newest, and waits until it is there. */
  async goToWindow(index: number): Promise<void> {
    const window = this.windows.nth(index);
    const [name = ""] = /^Window \d+/.exec((await window.locator(".name").textContent()) ?? "") ?? [];
    await window.click();
    await this.page.getByRole("heading", { name, exact: true }).waitFor();
  }

  get search(): Locator {
    return this.page.getByRole("searchbox");
  }

  /** The items that are there now. */
  get items(): Locator {
    return this.page.locator("article[data-item]");
  }

  /** The item of that name. */
  item(id: string): Locator {
    return this.page.locator(`article[data-item="${id}"]`);
  }

  /** The item that has the focus. */
  async focused(): Promise<string | null> {
    return this.page.evaluate(() => document.activeElement?.closest("article")?.getAttribute("data-item") ?? null);
  }

  /** What has been copied last, once it is there. Takes it away. */
  async copied(): Promise<string> {
    return this.page.evaluate(async () => {
      let text = "";
      for (let tries = 0; text === "" && tries < 1000; tries += 1) {
        text = await navigator.clipboard.readText();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await navigator.clipboard.writeText("");
      return text;
    });
  }

  get hash(): Promise<string> {
    return this.page.evaluate(() => decodeURIComponent(location.hash));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}

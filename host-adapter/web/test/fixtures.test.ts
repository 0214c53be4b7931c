/**
 * The page shows of every stored session what the tools of the component answer in the other hosts, whose tests hold them
 * against the same expectations.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectedIn, fixture } from "../../pi/harness/fixtures.ts";
import { ROLES } from "../src/page/roles.ts";
import { visible } from "../src/page/visible.ts";
import { Visit } from "./support/browser.ts";

interface ExpectedItem {
  readonly window_id: string;
  readonly item_id: string;
  readonly role: keyof typeof ROLES;
  readonly tool_name?: string;
  readonly tool_error?: boolean;
  readonly content: string;
}

interface ExpectedNote {
  readonly path: string;
  readonly text: string;
  readonly stale: boolean;
}

/** High enough for every item of a window. */
const HIGH = { width: 1280, height: 8000 };

for (const name of ["capsule", "legacy", "malformed", "typescript"]) {
  describe(`the session ${name}`, () => {
    const expected = expectedIn(name);
    const items = expected.items as readonly ExpectedItem[];
    const notes = expected.notes as readonly ExpectedNote[];

    it("has its windows, newest first, with their items, and its notes", async () => {
      await using visit = await Visit.begin({ viewport: HIGH });
      await visit.open(fixture(name));
      const shown = await visit.windows.evaluateAll((links) =>
        links.map((link) => [link.querySelector(".id")?.textContent, link.querySelector(".count")?.textContent]),
      );
      const counted = (count: number): string => `${count} ${count === 1 ? "item" : "items"}`;
      const windows = expected.windows.toReversed();
      assert.deepEqual(
        shown,
        windows.map(({ window_id, item_count }) => [visible(window_id), counted(item_count)]),
      );

      for (const [index, { window_id }] of windows.entries()) {
        const ofWindow = items.filter((item) => item.window_id === window_id);
        await visit.goToWindow(index);
        assert.deepEqual(await shownItems(visit, ofWindow.length), ofWindow.map(expectedOf));
      }

      for (const { path, text, stale } of notes) {
        const link = visit.page
          .getByRole("navigation")
          .locator("a", { hasText: visible(path) })
          .first();
        assert.equal(await link.getByText("out of date").count(), stale ? 1 : 0);
        await link.click();
        await visit.page.getByRole("heading", { name: visible(path), exact: true }).waitFor();
        assert.equal(await visit.page.locator(".sheet .prose").textContent(), visible(text));
      }
      assert.deepEqual(visit.complaints, []);
    });
  });
}

interface ShownItem {
  readonly item_id: string | undefined;
  readonly role: string | undefined;
  readonly tool: string | undefined;
  readonly hasFailed: boolean;
  /** Without the marks of spans of code. Of a call nothing: its arguments are laid out. */
  readonly text: string | undefined;
}

function expectedOf({ item_id, role, tool_name, tool_error, content }: ExpectedItem): ShownItem {
  return {
    item_id,
    role: ROLES[role],
    tool: tool_name === undefined ? undefined : visible(tool_name),
    hasFailed: tool_error ?? false,
    text: role === "tool_call" ? undefined : visible(content).replaceAll("`", ""),
  };
}

/** All items of the window, unfolded and read to their ends. */
async function shownItems(visit: Visit, count: number): Promise<readonly ShownItem[]> {
  if (count === 0) return [];
  await visit.items.nth(count - 1).waitFor();
  return visit.items.evaluateAll(async (articles) => {
    const waitFor = async (isDone: () => boolean): Promise<void> => {
      for (let tries = 0; !isDone() && tries < 1000; tries += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    for (const article of articles) {
      const details = article.querySelector("details");
      if (details !== null) details.open = true;
      await waitFor(() => article.querySelector(".body") !== null);
      article.querySelector<HTMLElement>(".body > .more")?.click();
      await waitFor(() => article.querySelector(".body > .more") === null);
    }
    return articles.map((article) => {
      const textOf = (selector: string): string | undefined => article.querySelector(selector)?.textContent;
      const role = textOf(".role");
      return {
        item_id: (article as HTMLElement).dataset.item,
        role,
        tool: textOf(".speaker code"),
        hasFailed: textOf(".tag.bad") === "failed",
        text: role === "Call" ? undefined : textOf(".body > .prose, .body > .code")?.replaceAll("`", ""),
      };
    });
  });
}

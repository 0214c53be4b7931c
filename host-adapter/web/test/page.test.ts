/**
 * What a person does with the page, in a real browser.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { fixture } from "../../pi/harness/fixtures.ts";
import { PAGE } from "../scripts/server.ts";
import { type GivenFile, Visit } from "./support/browser.ts";
import { entryId, linesOf, sessionOf } from "./support/sessions.ts";

const ROOT = "pcw:0193a1b2:root";
const EXAMPLE = fixture("typescript");

describe("the page", () => {
  it("opens its example, from a file system as from a server, and asks for nothing", async () => {
    await using visit = await Visit.begin({ at: pathToFileURL(PAGE).href });
    await visit.page.getByRole("button", { name: "Open the example" }).click();
    await visit.page.getByRole("heading", { name: "Port the parser" }).waitFor();
    assert.equal(await visit.windows.count(), 5);
    await visit.search.fill("parser");
    await visit.page.locator(".hit").first().waitFor();
    const [document, ...others] = visit.requests;
    assert.equal(document, pathToFileURL(PAGE).href);
    assert.deepEqual(
      others.filter((url) => !url.startsWith("blob:")),
      [],
    );
    assert.deepEqual(visit.complaints, []);
  });

  it("cannot connect to anything, nor can its worker", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    const connect = async (): Promise<string> => fetch("/elsewhere").then(String, String);
    assert.match(await visit.page.evaluate(connect), /TypeError/);
    const [worker] = visit.page.workers();
    assert.match((await worker?.evaluate(connect)) ?? "", /TypeError/);
    assert.match(visit.complaints.join("\n"), /Content Security Policy/);
    assert.equal(visit.requests.filter((url) => url.includes("elsewhere")).length, 0);
  });

  it("takes a file that is dropped on it", async () => {
    await using visit = await Visit.begin();
    await visit.page.evaluate(
      ({ text }) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "dropped.jsonl"));
        const hold = (type: string): boolean =>
          dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        if (hold("dragover")) throw new Error("the browser would open the file itself");
        if (hold("drop")) throw new Error("the browser would open the file itself");
      },
      { text: readFileSync(EXAMPLE, "utf8") },
    );
    await visit.page.getByRole("heading", { name: "Port the parser" }).waitFor();
    assert.equal(await visit.page.getByText("Drop the session file").count(), 0);
  });

  const refused: readonly (readonly [what: string, file: GivenFile, message: RegExp])[] = [
    ["an empty file", { name: "none.jsonl", text: "" }, /none\.jsonl cannot be shown.*This file is empty\. Pi keeps/s],
    [
      "other text",
      { name: "a.jsonl", text: "hello\n" },
      /a\.jsonl cannot be shown.*This is not a Pi session: it does/s,
    ],
    ["other JSON", { name: "b.jsonl", text: '{"a":1}\n' }, /does not begin with a session header\. Pi keeps its/],
  ];
  for (const [what, file, message] of refused) {
    it(`says what is wrong with ${what}, and goes on`, async () => {
      await using visit = await Visit.begin();
      await visit.choose(file);
      assert.match((await visit.page.getByRole("alert").textContent()) ?? "", message);
      await visit.open(EXAMPLE);
      assert.deepEqual(visit.complaints, []);
    });
  }

  it("says what of a file it has left out, until that is put away", async () => {
    await using visit = await Visit.begin();
    const text = [...linesOf(["one"]), "{broken", ""].join("\n");
    await visit.open({ name: "torn.jsonl", text });
    const notice = visit.page.getByText("torn.jsonl: 1 line cannot be read; the file is damaged");
    await notice.waitFor();
    await visit.page.getByRole("button", { name: "Put this notice away" }).click();
    await notice.waitFor({ state: "detached" });
  });

  it("has something to say of a session without a word", async () => {
    await using visit = await Visit.begin();
    await visit.choose(sessionOf([]));
    await visit.page.getByText("Nothing was said here yet.").waitFor();
  });

  it("goes on with a new instance when the component breaks", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    // Reading a text fails once, in the midst of a call of the component.
    await visit.page.workers()[0]?.evaluate(() => {
      const { parse } = JSON;
      JSON.parse = () => {
        JSON.parse = parse;
        throw new Error("broken on purpose");
      };
    });
    await visit.search.fill("swordfish");
    await visit.page.getByText("was started again. Try once more.").waitFor();
    await visit.page.getByText("The search failed").waitFor();
    await visit.search.fill("parser");
    await visit.page.locator(".hit").first().waitFor();
  });
});

describe("the search", () => {
  it("finds what the model finds, marks it, and leads there", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    await visit.page.keyboard.press("/");
    await visit.page.keyboard.type("parse");
    await visit.page.getByText("5 items").waitFor();
    assert.equal(await visit.hash, "#search=parse");
    const roles = await visit.page.locator(".hit .role").allTextContents();
    assert.deepEqual(roles, ["Summary", "User", "Result", "Call", "User"]);
    assert.deepEqual(await visit.page.locator(".hit mark").allTextContents(), Array(6).fill("parse"));
    await visit.page.keyboard.press("Enter");
    await visit.page.keyboard.press("j");
    await visit.page.keyboard.press("j");
    await visit.page.keyboard.press("Enter");
    const article = visit.item("e0000007");
    await article.locator("mark").waitFor();
    assert.equal(
      await article.locator(".code").textContent(),
      "export function parse(text: string) {\n  return text;\n}",
    );
    assert.equal(await visit.focused(), "e0000007");
    assert.equal(await visit.hash, `#${ROOT}/e0000007/16`);
    await visit.page.goBack();
    await visit.page.getByText("5 items").waitFor();
    await visit.page.keyboard.press("Escape");
    await visit.page.getByRole("heading", { name: "Window 5" }).waitFor();
    assert.equal(await visit.search.inputValue(), "");
  });

  it("looks into notes, or at one role", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    await visit.search.fill("Lexer");
    await visit.page.getByText("1 note").waitFor();
    await visit.page.getByRole("link", { name: /Note plan\.md/ }).click();
    assert.equal(await visit.page.locator(".sheet mark").textContent(), "Lexer");
    await visit.search.fill("parse");
    await visit.page.getByText("5 items").waitFor();
    await visit.page.getByRole("combobox").selectOption("User");
    await visit.page.getByText("2 items").waitFor();
    assert.equal(await visit.hash, "#search=parse/user");
  });

  it("tells upper from lower case, and says so", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    await visit.search.fill("PARSE");
    await visit.page.getByText("Nothing holds exactly this text.").waitFor();
  });

  it("goes on page by page", async () => {
    await using visit = await Visit.begin();
    await visit.open(sessionOf(Array.from({ length: 45 }, (_, index) => `needle ${index}`)));
    await visit.search.fill("needle");
    const more = visit.page.getByRole("button", { name: "More results" });
    await visit.page.getByText("20 items, and more").waitFor();
    await more.click();
    await visit.page.getByText("40 items, and more").waitFor();
    await more.click();
    await visit.page.getByRole("status").getByText("45 items", { exact: true }).waitFor();
    const excerpts = await visit.page.locator(".excerpt").allTextContents();
    assert.deepEqual(
      excerpts,
      Array.from({ length: 45 }, (_, index) => `needle ${44 - index}`),
    );
  });
});

describe("a window", () => {
  it("is read by keys", async () => {
    await using visit = await Visit.begin({ permissions: ["clipboard-read", "clipboard-write"] });
    await visit.open(sessionOf(Array.from({ length: 300 }, (_, index) => `text ${index}`)));
    await visit.item(entryId(0)).waitFor();
    const at = async (key: string, index: number): Promise<void> => {
      await visit.page.keyboard.press(key);
      await visit.page.locator(`article[data-item="${entryId(index)}"]:focus`).waitFor();
    };
    await at("j", 0);
    await at("j", 1);
    await at("ArrowDown", 2);
    await at("k", 1);
    await at("ArrowUp", 0);
    await at("G", 299);
    assert.ok(await visit.item(entryId(299)).isVisible());
    await visit.page.keyboard.press("c");
    assert.equal(await visit.copied(), "text 299");
    await at("g", 0);
    assert.ok((await visit.items.count()) < 60, "only what is in sight is there");
  });

  it("is left for the next one by keys", async () => {
    await using visit = await Visit.begin();
    await visit.open(EXAMPLE);
    for (const [key, number] of [
      ["[", 4],
      ["[", 3],
      ["]", 4],
    ] as const) {
      await visit.page.keyboard.press(key);
      await visit.page.getByRole("heading", { name: `Window ${number}`, exact: true }).waitFor();
    }
  });

  it("unfolds what a tool was asked and has answered", async () => {
    await using visit = await Visit.begin({ hash: `#${ROOT}` });
    await visit.open(EXAMPLE);
    const call = visit.item("e0000006#1");
    assert.equal(await call.locator(".preview").textContent(), "npm test 60.5");
    assert.equal(await call.locator(".code").count(), 0);
    await call.locator("summary").click();
    assert.equal(await call.locator(".code").textContent(), "command: npm test\ntimeout: 60.5");
    await visit.page.keyboard.press("Enter");
    await call.locator(".code").waitFor({ state: "detached" });
    const cut = visit.item("e0000009");
    await cut.locator("summary").click();
    await cut
      .getByText("Pi cut this output before the model saw it. All of it was kept in /tmp/pi-bash-1.log.")
      .waitFor();
  });

  it("shows a long text a page at a time, forwards and backwards", async () => {
    const letters = Array.from({ length: 30_000 }, (_, index) => String.fromCodePoint(0x61 + (index % 26)));
    const text = `${letters.join("")}🎉needle${letters.join("")}`;
    await using visit = await Visit.begin();
    await visit.open(sessionOf(["before", text, "after"]));
    await visit.search.fill("needle");
    await visit.page.locator(".hit").click();
    const article = visit.item(entryId(1));
    await article.locator("mark").waitFor();
    const shown = async (): Promise<string> => (await article.locator(".prose").textContent()) ?? "";
    assert.equal(await shown(), [...text].slice(30_001 - 600, 30_001 + 1800).join(""));
    for (const name of ["Show what comes before", "Read on"]) {
      const button = article.getByRole("button", { name });
      while ((await button.count()) > 0) {
        const before = (await shown()).length;
        await button.click();
        // The list may have moved from under the pointer. Then it is pressed again, as a person would.
        for (let tries = 0; tries < 200 && (await shown()).length === before; tries += 1) {
          await visit.page.waitForTimeout(5);
        }
      }
    }
    assert.equal(await shown(), text);
    assert.equal(await visit.focused(), entryId(1), "the button is gone, the focus is not");
  });

  it("is linked to, down to the item", async () => {
    await using visit = await Visit.begin({ hash: `#${ROOT}/e000002c` });
    await visit.page.getByText("The link you followed is opened when its session file is.").waitFor();
    await visit.open(EXAMPLE);
    const article = visit.page.locator('article[data-item="e000002c"]:focus');
    await article.waitFor();
    assert.equal(await article.locator(".code").textContent(), "token=<removed>");
    await visit.page.goto(`${visit.page.url().split("#")[0]}#${ROOT}/nobody`);
    await visit.page.getByText("There is no item nobody in this window.").waitFor();
    await visit.page.goto(`${visit.page.url().split("#")[0]}#nowhere`);
    await visit.page.getByText("This session has no such window").waitFor();
    await visit.open(sessionOf(["another session"]));
    await visit.item(entryId(0)).waitFor();
    assert.equal(await visit.hash, "", "the link was into the session before");
  });

  it("shows control characters and follows none, and sets code as code", async () => {
    await using visit = await Visit.begin();
    await visit.open(sessionOf(["a\u001B[2J\u202Eb\tc\r\n<b>`x < y`</b>\n```js\nlet a;\n```\nend"]));
    const prose = visit.item(entryId(0)).locator(".prose");
    assert.equal(await prose.textContent(), "a\uFFFD[2J\uFFFDb\tc\uFFFD\n<b>x < y</b>\n```js\nlet a;\n```\nend");
    assert.deepEqual(await prose.locator("code").allTextContents(), ["x < y", "```js\nlet a;\n```"]);
  });
});

describe("the looks", () => {
  const paper = (visit: Visit): Promise<string> =>
    visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  it("are those of the system until the person chooses, and stay so", async () => {
    await using visit = await Visit.begin({ colorScheme: "dark" });
    const dark = await paper(visit);
    await visit.page.emulateMedia({ colorScheme: "light" });
    const light = await paper(visit);
    assert.notEqual(dark, light);
    await visit.page.getByRole("button", { name: "Theme: as the system" }).click();
    await visit.page.getByRole("button", { name: "Theme: light" }).click();
    await visit.page.getByRole("button", { name: "Theme: dark" }).waitFor();
    assert.equal(await paper(visit), dark);
    await visit.page.reload();
    await visit.page.getByRole("button", { name: "Theme: dark" }).waitFor();
    assert.equal(await paper(visit), dark);
  });

  it("fit a narrow screen, where the side opens above", async () => {
    await using visit = await Visit.begin({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await visit.choose(EXAMPLE);
    const places = visit.page.getByRole("button", { name: "Window 5" });
    await places.click();
    await visit.windows.nth(4).click();
    await visit.page.getByRole("button", { name: "Window 1" }).waitFor();
    await visit.item("e0000005").waitFor();
    assert.equal(await visit.windows.count(), 0, "the side has closed");
    const width = await visit.page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 390, "nothing is wider than the screen");
  });

  it("have help, which closes", async () => {
    await using visit = await Visit.begin();
    await visit.page.keyboard.press("?");
    const help = visit.page.getByRole("dialog", { name: "Keys" });
    await help.waitFor();
    await visit.page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await visit.page.keyboard.press("?");
    await help.getByRole("button", { name: "Close" }).click();
    await help.waitFor({ state: "hidden" });
    await visit.open(EXAMPLE);
    await visit.search.fill("parse");
    await visit.page.getByText("5 items").waitFor();
    await visit.page.locator(".hit").first().focus();
    await visit.page.keyboard.press("?");
    await help.waitFor();
    await visit.page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    assert.equal(await visit.hash, "#search=parse", "one key closes one thing");
  });

  it("say to those who do not see them what is what", async () => {
    await using visit = await Visit.begin({ hash: `#${ROOT}` });
    await visit.open(EXAMPLE);
    await visit.item("e0000006").waitFor();
    await visit.page.getByRole("navigation", { name: "Windows and notes" }).waitFor();
    assert.equal(await visit.page.getByRole("link", { name: /^Window 1/ }).getAttribute("aria-current"), "page");
    await visit.page.getByRole("search").getByRole("searchbox", { name: "Search all windows and notes" }).waitFor();
    const feed = visit.page.getByRole("main").getByRole("feed", { name: "Window 1" });
    const article = feed.getByRole("article").nth(2);
    assert.deepEqual(
      [await article.getAttribute("aria-posinset"), await article.getAttribute("aria-setsize")],
      ["3", "19"],
    );
    const unnamed = await visit.page
      .locator("button, a, input, select")
      .evaluateAll((all) =>
        all.filter((one) => !(one.getAttribute("aria-label") || one.textContent?.trim() || one.closest("label"))),
      );
    assert.equal(unnamed.length, 0);
  });
});

/**
 * A session of 100 MB: the page says how far it is, and stays quick for the person all the time.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { ABSENT_WORD, RARE_WORD, writeSession } from "../../pi/bench/generated-session.ts";
import { Visit } from "./support/browser.ts";

/** About 1.45 kB each. */
const ENTRIES = 72_000;

/**
 * Which part of the time that reading takes the page may be busy without a break. Of an idle machine it is a fiftieth; what
 * reads in the page itself would need nearly all of it.
 */
const LONGEST_TASK = 1 / 4;

const directory = mkdtempSync(join(tmpdir(), "pi-capsule-web-"));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Watched {
  longest: number;
  progress: number[];
}

it("a session of 100 MB is read, searched and walked through without holding up the page", async (test) => {
  const file = join(directory, "large.jsonl");
  writeSession(file, ENTRIES);
  assert.ok(statSync(file).size > 100e6);
  await using visit = await Visit.begin();
  const { page } = visit;
  await page.evaluate(watch);

  const timed = async (what: string, act: () => Promise<unknown>): Promise<number> => {
    const begin = performance.now();
    await act();
    const { longest } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
    const taken = performance.now() - begin;
    test.diagnostic(`${what}: ${Math.round(taken)} ms, longest task so far ${longest} ms`);
    return taken;
  };

  const opened = await timed("opened", async () => {
    await visit.open(file);
    await visit.items.first().waitFor();
  });
  const { progress } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
  assert.ok(progress.length > 10, `progress was told ${progress.length} times`);
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  );

  await timed("searched for the first time", async () => {
    await visit.search.fill(ABSENT_WORD);
    await page.getByText("Nothing holds exactly this text.").waitFor();
  });
  await timed("searched again", async () => {
    await visit.search.fill(RARE_WORD);
    await page.locator(".hit").waitFor();
  });
  await timed("went to what was found, in the oldest of the windows", async () => {
    await page.locator(".hit").click();
    await page.locator("article:focus mark").first().waitFor();
  });
  await timed("scrolled through a window", async () => {
    await page.mouse.move(800, 500);
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, 1500);
    await page.keyboard.press("G");
    await page.locator("article:focus").waitFor();
  });

  const { longest } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
  assert.ok(longest < opened * LONGEST_TASK, `the page was busy for ${longest} ms, and reading took ${opened} ms`);
  assert.deepEqual(visit.complaints, []);
});

/** Notes in the page how long its tasks take, and what its bar of progress shows. */
function watch(): void {
  const watched: Watched = { longest: 0, progress: [] };
  Object.assign(globalThis, { watched });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
  }).observe({ type: "longtask" });
  new MutationObserver(() => {
    const bar = document.querySelector("progress");
    if (bar !== null && watched.progress.at(-1) !== bar.value) watched.progress.push(bar.value);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}

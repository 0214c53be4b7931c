import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { PACKAGE } from "../harness/pi-command.ts";
import { loadComponent } from "../src/component.ts";
import { type Story, StoryTeller } from "./support/story-teller.ts";

const STORIES = resolve(PACKAGE, "../../fuzz/corpus/story");

describe("the stories that fuzzers begin with, and those that once broke something", async () => {
  const component = await loadComponent(pathToFileURL(`${PACKAGE}/component/`));
  const files = readdirSync(STORIES);
  assert.ok(files.length > 0);
  for (const file of files) {
    it(`${file} is survived by the component in Node`, async () => {
      const teller = new StoryTeller(component);
      await teller.tell(JSON.parse(readFileSync(join(STORIES, file), "utf8")) as Story);
      assert.deepEqual(teller.faults, []);
    });
  }
});

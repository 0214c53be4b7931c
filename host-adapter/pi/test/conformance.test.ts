/**
 * The scenarios of `tests/conformance`, told to the component in Node, behind this adapter's imports.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { ImportObject } from "../component/types/extension.js";
import { PACKAGE } from "../harness/pi-command.ts";
import { loadComponent } from "../src/component.ts";
import type { Guest } from "../src/host.ts";
import { StoryEdges } from "./support/story-edges.ts";
import { type Done, type Story, StoryTeller } from "./support/story-teller.ts";

const FOLDER = resolve(PACKAGE, "../../tests/conformance");

interface Scenario {
  readonly about: string;
  readonly covers: readonly string[];
  readonly world: Story;
  readonly begins?: readonly string[];
  readonly steps: readonly (Done & { readonly step: Story["steps"][number] })[];
  readonly ends?: readonly string[];
}

const scenario = (name: string): Scenario => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));

describe("conformance", async () => {
  const component = await loadComponent(pathToFileURL(`${PACKAGE}/component/`));
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".scenario.json"));
  assert.ok(names.length > 0);

  for (const name of names) {
    const { about, covers, world, begins = [], steps, ends = [] } = scenario(name);
    it(`${name}: ${about}`, async () => {
      const edges = new StoryEdges();
      const teller = new StoryTeller(component, edges);
      const told = await teller.tell({ ...world, steps: steps.map(({ step }) => step) });
      assert.deepEqual(teller.faults, []);
      assert.deepEqual(told, { begins, steps: steps.map(({ step: _, ...done }) => done), ends });
      assert.deepEqual(
        covers.filter((one) => !edges.called.has(one)),
        [],
        "a function that the scenario is about was not called",
      );
    });
  }

  it("finds out a host that calls an export inside of another one", async () => {
    const rash = {
      ...component,
      instantiate: (imports: ImportObject): Guest => {
        const subprocess = imports["pi:extension/subprocess@0.1.0"];
        const start: typeof subprocess.start = (command) => {
          const id = subprocess.start(command);
          guest.completions.subprocessFinished(id, { tag: "timed-out" });
          return id;
        };
        const guest = component.instantiate({ ...imports, "pi:extension/subprocess@0.1.0": { ...subprocess, start } });
        return guest;
      },
    };
    const { world, steps } = scenario("session-begins.scenario.json");
    const teller = new StoryTeller(rash);
    await teller.tell({ ...world, steps: steps.map(({ step }) => step) });
    assert.notDeepEqual(teller.faults, []);
  });
});

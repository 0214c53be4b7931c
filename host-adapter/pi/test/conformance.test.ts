/**
 * The scenarios of `tests/conformance`, told in Node behind this adapter's imports: those about guests to the component of the
 * package, those about hosts to the probe.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { ImportObject } from "../component/types/extension.js";
import { builtComponent } from "../harness/components.ts";
import { PACKAGE } from "../harness/pi-command.ts";
import { loadAdded } from "../src/added/load.ts";
import { type Component, loadComponent } from "../src/component.ts";
import type { Guest } from "../src/host.ts";
import { StoryEdges } from "./support/story-edges.ts";
import { BROKEN, type Done, type Story, StoryTeller, type Told } from "./support/story-teller.ts";

const FOLDER = resolve(PACKAGE, "../../tests/conformance");

interface Scenario {
  readonly about: string;
  readonly covers: readonly string[];
  readonly world: Story;
  readonly begins?: readonly string[];
  readonly steps: readonly (Done & { readonly step: Story["steps"][number] })[];
  readonly ends?: readonly string[];
}

type About = "guest" | "host";

const scenario = (about: About, name: string): Scenario => JSON.parse(readFileSync(join(FOLDER, about, name), "utf8"));

const storyOf = ({ world, steps }: Scenario): Story => ({ ...world, steps: steps.map(({ step }) => step) });

const expectedOf = ({ begins = [], steps, ends = [] }: Scenario): Told => {
  return { begins, steps: steps.map(({ step: _, ...done }) => done), ends };
};

function tellAll(about: About, component: () => Component): void {
  const names = readdirSync(join(FOLDER, about));
  assert.ok(names.length > 0);
  for (const name of names) {
    const told = scenario(about, name);
    it(`${name}: ${told.about}`, async () => {
      const edges = new StoryEdges();
      const teller = new StoryTeller(component(), edges);
      assert.deepEqual(await teller.tell(storyOf(told)), expectedOf(told));
      const breaks = told.steps.some(({ answers }) => isDeepStrictEqual(answers, { error: BROKEN }));
      assert.equal(teller.faults.length, breaks ? 1 : 0, teller.faults.join("\n"));
      assert.deepEqual(
        told.covers.filter((one) => !edges.called.has(one)),
        [],
        "a function that the scenario is about was not called",
      );
    });
  }
}

describe("the files of the conformance kit", () => {
  const schema: TSchema = JSON.parse(readFileSync(join(FOLDER, "scenario.schema.json"), "utf8"));
  for (const about of ["guest", "host"] as const) {
    it(`have the format, about the ${about}`, () => {
      for (const name of readdirSync(join(FOLDER, about))) {
        assert.deepEqual(Value.Errors(schema, scenario(about, name)), [], name);
      }
    });
  }

  it("would not have it with a step that there is not", () => {
    const told = scenario("guest", "timers.scenario.json");
    assert.ok(!Value.Check(schema, { ...told, steps: [{ step: "sleep" }] }));
  });
});

describe("conformance of the guest", async () => {
  const component = await loadComponent(pathToFileURL(`${PACKAGE}/component/`));
  tellAll("guest", () => component);
});

describe("conformance of the host", () => {
  let directory: string;
  let probe: Component;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "pi-capsule-probe-"));
    // What is made of an added component is kept in Pi's directory.
    process.env.PI_CODING_AGENT_DIR = directory;
    ({ component: probe } = await loadAdded(builtComponent("probe.wasm")));
  });
  after(() => {
    delete process.env.PI_CODING_AGENT_DIR;
    rmSync(directory, { recursive: true, force: true });
  });

  tellAll("host", () => probe);

  /** What is wrong with a host whose imports are changed, by the scenarios. */
  async function faultsWith(
    change: (imports: ImportObject, guest: () => Guest) => ImportObject,
  ): Promise<readonly string[]> {
    const instantiate = (imports: ImportObject): Guest => {
      const guest = probe.instantiate(change(imports, () => guest));
      return guest;
    };
    const faults: string[] = [];
    for (const name of readdirSync(join(FOLDER, "host"))) {
      const told = scenario("host", name);
      const teller = new StoryTeller({ ...probe, instantiate });
      try {
        assert.deepEqual(await teller.tell(storyOf(told)), expectedOf(told));
      } catch {
        faults.push(name);
      }
    }
    return faults;
  }

  it("finds out a host that calls an export inside of another one", async () => {
    const faults = await faultsWith((imports, guest) => {
      const subprocess = imports["pi:extension/subprocess@0.1.0"];
      const start: typeof subprocess.start = (command) => {
        const id = subprocess.start(command);
        guest().completions.subprocessFinished(id, { tag: "timed-out" });
        return id;
      };
      return { ...imports, "pi:extension/subprocess@0.1.0": { ...subprocess, start } };
    });
    assert.notDeepEqual(faults, []);
  });

  it("finds out a host that grants what it should deny", async () => {
    const faults = await faultsWith((imports) => {
      const writer = imports["pi:extension/session-writer@0.1.0"];
      const append: typeof writer.append = (_type, data) => writer.append("pi-context/note", data);
      return { ...imports, "pi:extension/session-writer@0.1.0": { append } };
    });
    assert.notDeepEqual(faults, []);
  });

  it("finds out a host that forgets a cursor", async () => {
    const faults = await faultsWith((imports) => {
      const reader = imports["pi:extension/session-reader@0.1.0"];
      return {
        ...imports,
        "pi:extension/session-reader@0.1.0": { ...reader, changesSince: () => reader.changesSince(undefined) },
      };
    });
    assert.notDeepEqual(faults, []);
  });

  it("finds out a host whose timers cannot be withdrawn", async () => {
    const faults = await faultsWith((imports) => {
      const clock = imports["pi:extension/clock@0.1.0"];
      return { ...imports, "pi:extension/clock@0.1.0": { ...clock, cancelTimer: () => {} } };
    });
    assert.notDeepEqual(faults, []);
  });
});

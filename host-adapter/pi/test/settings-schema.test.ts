/**
 * Whether `settings.schema.json` says what is really taken: by the component, and by the adapter.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { PACKAGE } from "../harness/pi-command.ts";
import { findComponents } from "../src/added/find.ts";
import { Capsule } from "../src/capsule.ts";
import { type Component, loadComponent } from "../src/component.ts";
import { FakePi } from "./support/fake-pi.ts";
import { policy } from "./support/policy.ts";

const schema = JSON.parse(readFileSync(join(PACKAGE, "settings.schema.json"), "utf8")) as TSchema;

const MARGINS = [0, 1, 24_576, 2 ** 53, -1, 0.5, "1", null, true, [], {}];
const SECTIONS = [{}, { unknown: 1 }, [], 7, "x", true];
const COMPONENTS = [[], ["a.wasm"], ["~/a.wasm", "/b.wasm"], [""], [7], "a.wasm", {}, null];

describe("settings.schema.json", () => {
  let directory: string;
  let component: Component;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "pi-capsule-schema-"));
    process.env.PI_CODING_AGENT_DIR = directory;
    component = await loadComponent(new URL("../component/", import.meta.url));
  });
  after(() => {
    delete process.env.PI_CODING_AGENT_DIR;
    rmSync(directory, { recursive: true, force: true });
  });

  const write = (settings: object) => writeFileSync(join(directory, "settings.json"), JSON.stringify(settings));

  for (const section of [...SECTIONS, ...MARGINS.map((margin) => ({ reminderMarginTokens: margin }))]) {
    const settings = { "pi-context": section };
    it(`says what the component says of ${JSON.stringify(settings)}`, async () => {
      write(settings);
      const pi = new FakePi();
      const context = {
        ...pi.context,
        sessionManager: SessionManager.inMemory("/work/widget"),
        isProjectTrusted: () => false,
        getContextUsage: () => ({ tokens: 10, contextWindow: 200_000, percent: null }),
      };
      const api = { ...pi.api, getSettings: () => ({}), appendEntry: () => {}, sendMessage: () => {} };
      const capsule = new Capsule(api as never, component, policy);
      await capsule.open(context as never, "start", (guest) => guest.lifecycle.sessionStarted("startup"));
      await capsule.call("turn", (guest) => guest.lifecycle.contextRequested());
      await capsule.close("end", (guest) => guest.lifecycle.sessionShutDown("quit"));
      const notices = pi.shown.filter(([kind]) => kind === "notify").map(([, text]) => String(text));
      assert.ok(notices.length <= 1 && notices.every((text) => /pi-context/.test(text)), notices.join("\n"));
      assert.equal(notices.length === 0, Value.Check(schema, settings), notices.join("\n"));
    });
  }

  for (const section of [...SECTIONS, ...COMPONENTS.map((components) => ({ components }))]) {
    const settings = { "pi-capsule": section };
    it(`says what the adapter says of ${JSON.stringify(settings)}`, () => {
      write(settings);
      const { troubles } = findComponents(directory, false);
      assert.equal(troubles.length === 0, Value.Check(schema, settings), troubles.join("\n"));
    });
  }
});

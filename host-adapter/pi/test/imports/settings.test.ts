import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { settings } from "../../src/imports/settings.ts";
import { FakeHost } from "../support/fake-host.ts";

describe("settings", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "pi-capsule-settings-"));
    mkdirSync(join(directory, "agent"));
    mkdirSync(join(directory, "project/.pi"), { recursive: true });
    process.env.PI_CODING_AGENT_DIR = join(directory, "agent");
  });
  after(() => {
    delete process.env.PI_CODING_AGENT_DIR;
    rmSync(directory, { recursive: true, force: true });
  });

  const write = (scope: "agent" | "project/.pi", text: string) =>
    writeFileSync(join(directory, scope, "settings.json"), text);
  const read = (trusted = true) => {
    const context = { cwd: join(directory, "project"), isProjectTrusted: () => trusted };
    return settings(new FakeHost({ context })).section;
  };

  it("gives the section of each scope as it stands in the file, at the time of the call", () => {
    const section = read();
    assert.equal(section("global", "pi-context"), undefined);
    write("agent", '{"theme": "dark", "pi-context": {"reminderMarginTokens": 1}}');
    write("project/.pi", '{"pi-context": {"reminderMarginTokens": "\\ud800"}}');
    assert.equal(section("global", "pi-context"), '{"reminderMarginTokens":1}');
    assert.equal(section("project", "pi-context"), '{"reminderMarginTokens":"\uFFFD"}');
  });

  it("gives nothing of a project that the person does not trust", () => {
    write("project/.pi", '{"pi-context": {"reminderMarginTokens": 2}}');
    assert.equal(read(false)("project", "pi-context"), undefined);
  });

  it("gives no other section", () => {
    write("agent", '{"theme": "dark"}');
    assert.throws(() => read()("global", "theme"), {
      payload: { tag: "denied", val: 'the settings section "theme" is not allowed' },
    });
  });

  it("says which file cannot be read", () => {
    write("agent", "{");
    assert.throws(
      () => read()("global", "pi-context"),
      ({ payload }) => payload.tag === "unreadable" && payload.val.startsWith(join(directory, "agent/settings.json")),
    );
  });

  it("gives the compaction policy that Pi goes by for the active model", () => {
    const modelOverrides = { "scripted/big": { reserveTokens: 400_000 } };
    const pi = { getSettings: () => ({ compaction: { keepRecentTokens: 7, modelOverrides } }) };
    const policyFor = (model: unknown) =>
      settings(new FakeHost({ pi, context: { model } as Partial<ExtensionContext> })).compaction();
    const usual = { enabled: true, reserveTokens: 16_384n, keepRecentTokens: 7n };
    assert.deepEqual(policyFor(undefined), usual);
    assert.deepEqual(policyFor({ provider: "scripted", id: "big" }), { ...usual, reserveTokens: 400_000n });
  });

  it("says what is wrong with a compaction policy", () => {
    const pi = { getSettings: () => ({ compaction: { reserveTokens: -1 } }) };
    assert.throws(
      () => settings(new FakeHost({ pi, context: {} })).compaction(),
      ({ payload }) => payload.tag === "unreadable" && /reserveTokens/.test(payload.val),
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  processEnvironment,
  refuseCommand,
  refuseCustomType,
  refuseProcess,
  refuseSettingsSection,
  refuseStatusKey,
  refuseTool,
} from "../src/policy.ts";
import { policy, policyCases } from "./support/policy.ts";

describe("policy", () => {
  for (const { name, program, arguments: args, allowed } of policyCases.processes) {
    it(`${allowed ? "allows" : "refuses"} a process: ${name}`, () => {
      assert.equal(refuseProcess(policy, program, args) === undefined, allowed);
    });
  }

  const values = [
    ["settings section", refuseSettingsSection, policyCases.settingsSections],
    ["status key", refuseStatusKey, policyCases.statusKeys],
    ["custom type", refuseCustomType, policyCases.customTypes],
    ["tool", refuseTool, policyCases.tools],
    ["command", refuseCommand, policyCases.commands],
  ] as const;
  for (const [kind, refuse, cases] of values) {
    for (const { value, allowed } of cases) {
      it(`${allowed ? "allows" : "refuses"} the ${kind} "${value}"`, () => {
        assert.equal(refuse(policy, value) === undefined, allowed);
      });
    }
  }

  for (const { name, inherited, given } of policyCases.environment) {
    it(`gives a process ${given === null ? "no" : "a"} ${name}`, () => {
      assert.equal(processEnvironment(policy, { [name]: inherited })[name] ?? null, given);
    });
  }

  it("refuses a program that is not in the table, whatever it is called", () => {
    for (const program of ["sh", "", "constructor", "GIT"]) {
      assert.match(refuseProcess(policy, program, []) ?? "", /is not allowed$/);
    }
  });

  it("does not repeat arguments, which may hold a secret", () => {
    const refusal = refuseProcess(policy, "git", ["clone", "https://user:secret@example.com/x"]);
    assert.equal(refusal, "git is not allowed with these arguments");
  });
});

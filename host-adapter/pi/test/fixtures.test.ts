import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { contentsOf, secondReading } from "../harness/contents.ts";
import { expectedIn, FIXTURES, fixture } from "../harness/fixtures.ts";
import { legacySession } from "../scripts/fixtures/legacy.ts";
import { malformedSession } from "../scripts/fixtures/malformed.ts";
import { typescriptSession } from "../scripts/fixtures/typescript.ts";
import { componentReading } from "./support/component-reader.ts";

describe("the session fixtures", () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith(".jsonl") ? [file.slice(0, -6)] : []));

  it("are those that the script makes", () => {
    assert.deepEqual(names.toSorted(), ["capsule", "legacy", "malformed", "typescript"]);
  });

  for (const name of names) {
    it(`${name}: the component finds in it what is expected`, async () => {
      assert.deepEqual(await contentsOf(fixture(name), componentReading), expectedIn(name));
    });

    it(`${name}: so does the other reader`, async () => {
      assert.deepEqual(await contentsOf(fixture(name), secondReading), expectedIn(name));
    });
  }

  // The fourth is made in a real session, which takes its time, and changes with what the component says.
  const recorded = { legacy: legacySession, malformed: malformedSession, typescript: typescriptSession };
  for (const [name, make] of Object.entries(recorded)) {
    it(`${name}: Pi writes the same session again`, () => {
      assert.equal(make(), readFileSync(fixture(name), "utf8"));
    });
  }
});

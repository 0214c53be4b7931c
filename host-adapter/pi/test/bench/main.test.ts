import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Result } from "../../bench/result.ts";
import { PACKAGE } from "../../harness/pi-command.ts";

describe("the benchmark", () => {
  it("measures the component beside the projection, which must answer the same", () => {
    const args = [join(PACKAGE, "bench/main.ts"), "--entries", "1000", "--runs", "1", "--json"];
    const output = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    const [result] = JSON.parse(output) as Result[];
    assert.equal(result?.entries, 1000);
    for (const name of ["component", "typescript"] as const) {
      assert.ok(Number(result?.subjects[name]?.searchRare) > 0, name);
    }
    assert.ok(Number(result?.subjects.component?.wasmBytes) > 1_000_000);
  });
});

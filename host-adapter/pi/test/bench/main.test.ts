import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { FooterMeasurement } from "../../bench/footer/measure.ts";
import type { Result } from "../../bench/result.ts";
import { PACKAGE } from "../../harness/pi-command.ts";

describe("the benchmark", () => {
  let measured: { readonly sessions: readonly Result[]; readonly footer: FooterMeasurement };
  before(() => {
    const args = [join(PACKAGE, "bench/main.ts"), "--entries", "1000", "--runs", "1", "--json"];
    const output = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    measured = JSON.parse(output);
  });

  it("measures the component beside the projection, which must answer the same", () => {
    const [result] = measured.sessions;
    assert.equal(result?.entries, 1000);
    for (const name of ["component", "typescript"] as const) {
      assert.ok(Number(result?.subjects[name]?.searchRare) > 0, name);
    }
    assert.ok(Number(result?.subjects.component?.wasmBytes) > 1_000_000);
  });

  it("counts the processes of the footer: three for the first line, fewer in a day than a poller", () => {
    const { firstLine, eventsPerSecond, day } = measured.footer;
    assert.equal(firstLine.processes, 3);
    assert.ok(eventsPerSecond > 1_000, String(eventsPerSecond));
    assert.equal(day.calls, 2_000);
    const polls = day.milliseconds / 30_000;
    assert.ok(day.git > 100 && day.git + day.gh < 2 * polls, JSON.stringify(day));
    assert.ok(day.gh > 10 && day.gh < polls, JSON.stringify(day));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { worldSource } from "../scripts/component-package.ts";
import { importsFor } from "../src/imports/index.ts";
import { EXPORTS, refuseOtherWorlds } from "../src/world.ts";
import { FakeHost } from "./support/fake-host.ts";

const offered = Object.keys(importsFor(new FakeHost({})));

describe("world", () => {
  const importing = (...imports: string[]) => ({ file: "other.wasm", imports, exports: EXPORTS });
  const exporting = (...exports: string[]) => ({ file: "other.wasm", imports: [], exports });

  it("accepts what this host offers, or less", () => {
    refuseOtherWorlds(importing(), offered);
    refuseOtherWorlds(importing(...offered), offered);
  });

  it("refuses another version, and names the file and both versions", () => {
    assert.throws(() => refuseOtherWorlds(importing("pi:extension/clock@0.2.0"), offered), {
      message:
        "pi-capsule: other.wasm was made for pi:extension/clock 0.2.0, this host has 0.1.0. Install the same version of both.",
    });
  });

  it("refuses an import from anywhere else", () => {
    assert.throws(() => refuseOtherWorlds(importing("wasi:filesystem/types@0.2.0"), offered), {
      message:
        "pi-capsule: other.wasm imports wasi:filesystem/types@0.2.0, which this host does not offer. Use a component for the world pi:extension.",
    });
  });

  it("refuses what lacks an export, or has it in another version", () => {
    assert.throws(() => refuseOtherWorlds(exporting(...EXPORTS.slice(1)), offered), {
      message:
        "pi-capsule: other.wasm does not export pi:extension/commands@0.1.0. Use a component for the world pi:extension.",
    });
    assert.throws(() => refuseOtherWorlds(exporting("pi:extension/commands@0.3.0", ...EXPORTS.slice(1)), offered), {
      message:
        "pi-capsule: other.wasm was made for pi:extension/commands 0.3.0, this host has 0.1.0. Install the same version of both.",
    });
  });

  it("exports what the WIT files say", async () => {
    const world = await worldSource();
    const named = [...world.matchAll(/^ {2}export ([a-z-]+);$/gm)].map(([, name]) => `pi:extension/${name}@0.1.0`);
    assert.deepEqual([...EXPORTS].sort(), named.sort());
  });
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { fasterBindings } from "../scripts/faster-bindings.ts";

const BINDINGS = new URL("../component/extension.js", import.meta.url);

it("the bindings count text natively, and ask for no environment variable", async () => {
  const source = await readFile(BINDINGS, "utf8");
  assert.ok(source.includes("Buffer.byteLength("));
  assert.ok(!source.includes("JCO_DEBUG"));
});

it("bindings that look otherwise are not shipped", () => {
  assert.throws(() => fasterBindings("export {};"), /^Error: jco's bindings have 0 places like the one for the length/);
});

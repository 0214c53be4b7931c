import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pack } from "../harness/packed.ts";
import { PACKAGE } from "../harness/pi-command.ts";

const MEBIBYTE = 1024 * 1024;

/** What the archive may weigh. Most of it is the generator for components that a person adds. */
const ARCHIVE_BUDGET = 1.75 * MEBIBYTE;
/** What every start of Pi may have to load. */
const START_BUDGET = MEBIBYTE;

const LOADED = /^(src\/|component\/)/;
const SHIPPED = new RegExp(
  [
    String.raw`^(package|settings\.schema)\.json$`,
    String.raw`^(README|CHANGELOG)\.md$`,
    "^LICENSE[^/]*$",
    String.raw`^preview\.png$`,
    String.raw`^src/.+\.ts$`,
    String.raw`^component/(extension\.js|extension\.core\d*\.wasm|manifest\.json|policy(-added)?\.json)$`,
    String.raw`^transpiler/(generator\.js|js-component-bindgen-component\.core2?\.wasm)$`,
  ].join("|"),
);

const NEEDED = [
  "CHANGELOG.md",
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "src/index.ts",
  "component/extension.js",
  "component/extension.core.wasm",
  "transpiler/generator.js",
];

describe("the npm package", () => {
  it("holds what it needs, nothing else, and not too much of it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "pi-capsule-npm-"));
    try {
      const { files, size } = await pack(directory);
      const paths = files.map(({ path }) => path);
      assert.deepEqual(
        paths.filter((path) => !SHIPPED.test(path)),
        [],
      );
      assert.deepEqual(
        NEEDED.filter((path) => !paths.includes(path)),
        [],
        "npm run build makes what is missing",
      );
      assert.ok(size < ARCHIVE_BUDGET, `${size} bytes`);
      const loaded = files.filter(({ path }) => LOADED.test(path)).reduce((sum, file) => sum + file.size, 0);
      assert.ok(loaded < START_BUDGET, `${loaded} bytes`);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it("needs nothing at run time but Pi and what Pi supplies", () => {
    const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    assert.equal(manifest.dependencies, undefined);
    assert.deepEqual(Object.keys(manifest.peerDependencies), ["@earendil-works/pi-coding-agent", "typebox"]);
  });
});

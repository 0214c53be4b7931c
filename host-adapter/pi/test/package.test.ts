import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { PACKAGE } from "../harness/pi-command.ts";

/** What the package may weigh, unpacked. Most of it is the component, which is loaded at every start of Pi. */
const BUDGET_BYTES = 1024 * 1024;

const SHIPPED =
  /^(package\.json|(README|CHANGELOG)\.md|LICENSE[^/]*|src\/.+\.ts|component\/(extension\.js|extension\.core\d*\.wasm|manifest\.json|policy\.json))$/;

interface Packed {
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

describe("the npm package", () => {
  it("holds what it needs, nothing else, and not too much of it", async () => {
    const cache = mkdtempSync(join(tmpdir(), "pi-capsule-npm-"));
    try {
      const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], {
        cwd: PACKAGE,
        env: { ...process.env, npm_config_cache: cache },
      });
      const [packed] = JSON.parse(stdout) as [Packed];
      const paths = packed.files.map(({ path }) => path);
      assert.deepEqual(
        paths.filter((path) => !SHIPPED.test(path)),
        [],
      );
      for (const needed of ["src/index.ts", "component/extension.js", "component/extension.core.wasm"]) {
        assert.ok(paths.includes(needed), `${needed} is missing: run npm run build`);
      }
      assert.ok(packed.unpackedSize < BUDGET_BYTES, `${packed.unpackedSize} bytes`);
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it("needs nothing at run time but Pi", () => {
    const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    assert.equal(manifest.dependencies, undefined);
    assert.deepEqual(Object.keys(manifest.peerDependencies), ["@earendil-works/pi-coding-agent"]);
  });
});

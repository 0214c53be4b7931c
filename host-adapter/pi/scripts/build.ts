/**
 * Builds what the package ships beside its sources: `component/`, `transpiler/` for further components, and the project's
 * licences and changelog. And the declarations of the world in `component/types/`, which it does not ship.
 *
 *     npm run build [-- path/to/component.wasm]
 */
import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageComponent, writeWorldTypes } from "./component-package.ts";
import { givenPath, INVOKED_FROM } from "./invocation.ts";
import { writeTranspiler } from "./transpiler.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const PROJECT = resolve(PACKAGE, "../..");
const OUTPUT = join(PACKAGE, "component");

/** What is the same for all of the project. */
const FROM_PROJECT = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

const { positionals } = parseArgs({ allowPositionals: true });
const source = givenPath(positionals[0] ?? join(PROJECT, "target/component/pi_capsule.wasm"));

let component: Buffer;
try {
  component = await readFile(source);
} catch {
  console.error(`${source} is missing. Make it with \`cargo xtask component\` in ${PROJECT}, or name another file.`);
  process.exit(1);
}
const { file, bytes } = await packageComponent(component, basename(source), OUTPUT);
await writeWorldTypes(join(OUTPUT, "types"));
await writeTranspiler(join(PACKAGE, "transpiler"));
for (const name of FROM_PROJECT) await cp(join(PROJECT, name), join(PACKAGE, name));
await takeVersion();
console.log(`built ${relative(INVOKED_FROM, OUTPUT)} from ${file} (${bytes} bytes)`);

/** Carries the version of the project over into the package. It is changed in one place, `Cargo.toml`. */
async function takeVersion(): Promise<void> {
  const [, version = ""] = /^version = "(.+)"$/m.exec(await readFile(join(PROJECT, "Cargo.toml"), "utf8")) ?? [];
  const file = join(PACKAGE, "package.json");
  const manifest = await readFile(file, "utf8");
  const updated = manifest.replace(/"version": ".*"/, `"version": "${version}"`);
  if (updated !== manifest) await writeFile(file, updated);
}

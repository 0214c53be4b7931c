/**
 * Builds `component/`, which the package ships, and the declarations of the world in `component/types/`.
 *
 *     npm run build [-- path/to/component.wasm]
 */
import { readFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageComponent, writeWorldTypes } from "./component-package.ts";
import { givenPath, INVOKED_FROM } from "./invocation.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const PROJECT = resolve(PACKAGE, "../..");
const OUTPUT = join(PACKAGE, "component");

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
console.log(`built ${relative(INVOKED_FROM, OUTPUT)} from ${file} (${bytes} bytes)`);

/**
 * The generator of bindings that the package ships, for components that a person adds: jco's, as one module beside its own
 * WebAssembly.
 *
 * jco itself would come with an optimiser of 90 MB that is not needed. The generator is a component; the imports of its
 * world are taken from the shims for browsers, which reach nothing.
 */
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const GENERATOR = fileURLToPath(import.meta.resolve("@bytecodealliance/jco-transpile/component"));
const MODULES = ["js-component-bindgen-component.core.wasm", "js-component-bindgen-component.core2.wasm"];

/** Writes the folder anew. */
export async function writeTranspiler(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: [GENERATOR],
    outfile: join(directory, "generator.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions: ["browser"],
    external: ["node:*"],
    minify: true,
    legalComments: "none",
    logLevel: "error",
  });
  for (const module of MODULES) await cp(join(dirname(GENERATOR), module), join(directory, basename(module)));
}

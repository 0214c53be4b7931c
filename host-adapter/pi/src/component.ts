/**
 * A component on disk: what `transpile/` made of a `.wasm` file, checked and compiled.
 *
 * Makes instances; what is done with them is the capsule's affair.
 */
import { readFile } from "node:fs/promises";
import type { Extension as Guest, ImportObject, instantiate } from "../component/types/extension.js";
import { BINDINGS, type Manifest } from "./transpile/transpile.ts";
import { ComponentError, refuseOtherWorlds } from "./world.ts";

/** How a core module becomes an instance. */
export type InstantiateCore = (module: WebAssembly.Module, imports: WebAssembly.Imports) => WebAssembly.Instance;

export interface Component {
  readonly manifest: Manifest;
  /** Makes a new instance with memory of its own. Everything is compiled already, so this takes about a millisecond. */
  instantiate(imports: ImportObject): Guest;
}

/** Loads the component that was transpiled into `directory`. Tests have its core modules instantiated in their own way. */
export async function loadComponent(directory: URL, instantiateCore = instantiated): Promise<Component> {
  const manifest = await readManifest(directory);
  const glue = (await import(new URL(BINDINGS, directory).href)) as { instantiate: typeof instantiate };
  const compiled = manifest.modules.map(async (name) => {
    const module = await WebAssembly.compile(await readFile(new URL(name, directory)));
    return [name, module] as const;
  });
  const modules = new Map(await Promise.all(compiled));
  const coreModule = (name: string): WebAssembly.Module => {
    const module = modules.get(name);
    if (module === undefined) throw new ComponentError(`pi-capsule: ${name} is missing. Install the package again.`);
    return module;
  };
  return {
    manifest,
    instantiate: (imports) => {
      refuseOtherWorlds(manifest, Object.keys(imports));
      return glue.instantiate(coreModule, imports, instantiateCore);
    },
  };
}

const instantiated: InstantiateCore = (module, imports) => new WebAssembly.Instance(module, imports);

async function readManifest(directory: URL): Promise<Manifest> {
  const file = new URL("manifest.json", directory);
  try {
    return JSON.parse(await readFile(file, "utf8")) as Manifest;
  } catch (error) {
    throw new ComponentError(
      `pi-capsule: cannot read ${file.pathname}. Install the package again, or run \`npm run build\` in a checkout.`,
      { cause: error },
    );
  }
}

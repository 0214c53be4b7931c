/**
 * The component on disk: what `npm run build` made of the `.wasm` file, checked and compiled.
 *
 * Makes instances; what is done with them is the capsule's affair.
 */
import { readFile } from "node:fs/promises";
import type { Extension as Guest, ImportObject, instantiate } from "../component/types/extension.js";

/** What `scripts/build.ts` wrote down about the component. */
export interface Manifest {
  /** The name of the file that was built from. */
  readonly file: string;
  readonly bytes: number;
  /** Its imports by their full names, such as `pi:extension/clock@0.1.0`. */
  readonly imports: readonly string[];
  /** The files of its core modules. */
  readonly modules: readonly string[];
}

/** How a core module becomes an instance. */
export type InstantiateCore = (module: WebAssembly.Module, imports: WebAssembly.Imports) => WebAssembly.Instance;

export interface Component {
  readonly manifest: Manifest;
  /** Makes a new instance with memory of its own. Everything is compiled already, so this takes about a millisecond. */
  instantiate(imports: ImportObject): Guest;
}

/** A component that cannot be used. The message names the file and says what to do. */
export class ComponentError extends Error {
  override readonly name = "ComponentError";
}

/** Loads the component that was built into `directory`. Tests have its core modules instantiated in their own way. */
export async function loadComponent(directory: URL, instantiateCore = instantiated): Promise<Component> {
  const manifest = await readManifest(directory);
  const glue = (await import(new URL("extension.js", directory).href)) as { instantiate: typeof instantiate };
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

/** Refuses a component that imports what this host does not have, or has in another version. */
export function refuseOtherWorlds(manifest: Manifest, offered: readonly string[]): void {
  for (const wanted of manifest.imports) {
    if (offered.includes(wanted)) continue;
    const [name, version] = splitVersion(wanted);
    const [, own] = splitVersion(offered.find((candidate) => splitVersion(candidate)[0] === name) ?? "");
    throw new ComponentError(
      own === undefined
        ? `pi-capsule: ${manifest.file} imports ${wanted}, which this host does not offer. Use a component for the world pi:extension.`
        : `pi-capsule: ${manifest.file} was made for ${name} ${version}, this host has ${own}. Install the same version of both.`,
    );
  }
}

function splitVersion(name: string): [name: string, version: string | undefined] {
  const at = name.lastIndexOf("@");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

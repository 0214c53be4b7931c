/**
 * The component, which the build puts into the page: its bindings and its core modules.
 */
import { instantiate as bind, coreModules } from "component:built";
import type { Extension as Guest, ImportObject } from "../../../pi/component/types/extension.js";

/** Compiled when the worker starts. */
const modules = new Map(Object.entries(coreModules).map(([name, bytes]) => [name, new WebAssembly.Module(bytes)]));

/** Makes a new instance with memory of its own. */
export function instantiate(imports: ImportObject): Guest {
  return bind(coreModule, imports);
}

function coreModule(name: string): WebAssembly.Module {
  const module = modules.get(name);
  if (module === undefined) throw new Error(`the page was built without ${name}`);
  return module;
}

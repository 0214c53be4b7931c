/**
 * From a component to what Node can load: JavaScript, and core modules whose memory has an end.
 *
 * The generator is jco's. The package ships it (`scripts/transpiler.ts`), for components that a person adds; the build of
 * the package itself has it from npm. Nothing is read or written here.
 */
import type { generate } from "@bytecodealliance/jco-transpile/component";
import { errorText, plainLine } from "../text.ts";
import { ComponentError } from "../world.ts";
import { kindOf } from "./binary.ts";
import { boundedMemory } from "./bounded-memory.ts";
import { importNames } from "./import-names.ts";

/** The module that is made of a component. */
export const BINDINGS = "extension.js";

export type Generate = typeof generate;

/** What is known of a component that has been transpiled. */
export interface Manifest {
  /** The name of the file that it was made from. */
  readonly file: string;
  readonly bytes: number;
  /** Its imports and exports by their full names, such as `pi:extension/clock@0.1.0`. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  /** The files of its core modules. */
  readonly modules: readonly string[];
}

export interface Transpiled {
  readonly manifest: Manifest;
  readonly files: readonly (readonly [name: string, content: Uint8Array])[];
}

/** `file` is the name that people know the component by; its memory may grow to so many bytes. */
export function transpile(component: Uint8Array, file: string, memoryBytes: number, generate: Generate): Transpiled {
  refuseOthers(component, file);
  const imports = importNames(component);
  try {
    const generated = generate(component, options(imports));
    const files = generated.files.map(([name, content]) => {
      return [name, name.endsWith(".wasm") ? boundedMemory(content, memoryBytes) : content] as const;
    });
    const exports = generated.exports.map(([name]) => name).filter((name) => name.includes("/"));
    const modules = files.map(([name]) => name).filter((name) => name.endsWith(".wasm"));
    return { manifest: { file, bytes: component.length, imports, exports, modules }, files };
  } catch (error) {
    const reason = plainLine(errorText(error).split("\n", 1)[0] ?? "");
    throw new ComponentError(`pi-capsule: ${file} is not a component that can be loaded (${reason}).`, {
      cause: error,
    });
  }
}

function refuseOthers(bytes: Uint8Array, file: string): void {
  switch (kindOf(bytes)) {
    case "component":
      return;
    case "core module":
      throw new ComponentError(
        `pi-capsule: ${file} is a core module, not a component. Make one of it with \`wasm-tools component new\`.`,
      );
    case "neither":
      throw new ComponentError(`pi-capsule: ${file} is not WebAssembly. Is it complete?`);
  }
}

/** The component takes its imports at instantiation, under their full names. */
function options(imports: readonly string[]): Parameters<Generate>[1] {
  return {
    name: BINDINGS.replace(".js", ""),
    instantiation: { tag: "sync" },
    noTypescript: true,
    // An error that the guest returns is thrown as it is, which tells it apart from a trap.
    noComponentErrorWrapping: true,
    // Without a mapping the versions would be cut off.
    map: imports.map((name) => [name, name]),
    base64Cutoff: 0,
  };
}

/**
 * The components that the build leaves in cargo's folder: the one of the package, the examples, the probe.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TARGET } from "./other-host.ts";

/** The path of a component, by the name of its file. */
export function builtComponent(name: "pi_capsule.wasm" | "todo.wasm" | "my_extension.wasm" | "probe.wasm"): string {
  const file = join(TARGET, "component", name);
  if (!existsSync(file)) throw new Error(`${file} is missing: ./just build makes it`);
  return file;
}

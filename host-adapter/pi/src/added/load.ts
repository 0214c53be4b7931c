/**
 * From a `.wasm` file to a component that can be connected, with the policy that it is held to.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Component } from "../component.ts";
import { type Policy, readPolicy } from "../policy.ts";
import { errorText, plainLine } from "../text.ts";
import { type Generate, type Transpiled, transpile } from "../transpile/transpile.ts";
import { ComponentError } from "../world.ts";
import { cached } from "./cache.ts";
import { type AddedPolicy, policyOf } from "./policy.ts";

/** Where `npm run build` puts what the package ships beside its sources. */
const COMPONENT = new URL("../../component/", import.meta.url);
const TRANSPILER = new URL("../../transpiler/generator.js", import.meta.url);
const PACKAGE = new URL("../../package.json", import.meta.url);

/** What a status line, a section of the settings and entries can be named after. */
const NAME = /^[a-z0-9][a-z0-9-]*$/;

/** A component that a person has added. */
export interface Added {
  /** What its status line, its section of the settings and its entries are named after. */
  readonly name: string;
  readonly component: Component;
  readonly policy: Policy;
}

/** Loads the component in a file. Whatever keeps it from being loaded is a {@link ComponentError}. */
export async function loadAdded(file: string): Promise<Added> {
  const name = nameOf(file);
  const [content, base, added, version] = await Promise.all([
    contentOf(file),
    readPolicy(new URL("policy.json", COMPONENT)),
    readJson(new URL("policy-added.json", COMPONENT)) as Promise<AddedPolicy>,
    readJson(PACKAGE) as Promise<{ readonly version: string }>,
  ]);
  refuseReserved(file, name, base);
  const policy = await policyOf(name, file, base, added);
  const { memoryBytes } = policy.limits;
  const maker = `${version.version} ${memoryBytes}`;
  const component = await cached(file, content, maker, () => transpiled(content, basename(file), memoryBytes));
  return { name, component, policy };
}

/** Cargo writes `-` as `_` in the names of files. */
function nameOf(file: string): string {
  const name = basename(file, ".wasm").replaceAll("_", "-");
  if (NAME.test(name)) return name;
  throw new ComponentError(
    `pi-capsule: ${file} has a name that nothing can be named after. Rename it: small letters, digits and hyphens.`,
  );
}

/** A component must not speak with the names of the one that the package holds. */
function refuseReserved(file: string, name: string, base: Policy): void {
  const owned = [...base.settingsSections, ...base.statusKeys, ...base.customTypes];
  if (!owned.some((one) => one === name || one.startsWith(`${name}/`))) return;
  throw new ComponentError(`pi-capsule: ${file} has a name that pi-capsule itself uses. Rename it.`);
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ComponentError(`pi-capsule: cannot read ${file} (${plainLine(errorText(error))}).`, { cause: error });
  }
}

async function transpiled(content: Uint8Array, file: string, memoryBytes: number): Promise<Transpiled> {
  const generator = (await import(TRANSPILER.href)) as { $init: Promise<void>; generate: Generate };
  await generator.$init;
  return transpile(content, file, memoryBytes, generator.generate);
}

async function readJson(file: URL): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8"));
}

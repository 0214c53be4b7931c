/**
 * From a component to the folder that the extension loads: JavaScript, core modules, manifest, policy.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { transpileBytes } from "@bytecodealliance/jco-transpile";
import { $init, generateTypes } from "@bytecodealliance/jco-transpile/component";
import { componentWit } from "@bytecodealliance/jco-transpile/wasm-tools";
import type { Manifest } from "../src/component.ts";
import { readPolicy } from "../src/policy.ts";
import { boundedMemory } from "./bounded-memory.ts";
import { fasterBindings } from "./faster-bindings.ts";

const ADAPTERS = resolve(import.meta.dirname, "../..");
const POLICY = join(ADAPTERS, "policy.json");
const WIT = resolve(ADAPTERS, "../wit");

/** The module that jco makes of a component with the name below. */
const BINDINGS = "extension.js";

type Files = readonly (readonly [name: string, content: Uint8Array])[];

/** Writes the folder anew. `file` is the name that people know the component by. */
export async function packageComponent(component: Uint8Array, file: string, directory: string): Promise<Manifest> {
  const imports = await importNames(component);
  const files = await transpiled(component, imports);
  const modules = files.map(([name]) => name).filter((name) => name.endsWith(".wasm"));
  const manifest: Manifest = { file, bytes: component.length, imports, modules };
  await rm(directory, { recursive: true, force: true });
  await writeAll(files, directory);
  await writeFile(join(directory, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await cp(POLICY, join(directory, "policy.json"));
  return manifest;
}

/**
 * Writes the declarations of the world, which `src` is checked against. They come from the WIT files and not from the
 * component, which names only what it uses.
 */
export async function writeWorldTypes(directory: string): Promise<void> {
  const wit = await worldSource();
  await $init;
  const files = generateTypes("extension", {
    wit: { tag: "source", val: wit },
    world: "extension",
    instantiation: { tag: "sync" },
    features: { tag: "list", val: [] },
    guest: false,
  });
  await writeAll(files, directory);
}

/** The whole package `pi:extension` as one WIT text. */
export async function worldSource(): Promise<string> {
  // The file with the package's name comes first; the rest follow in any order.
  const names = (await readdir(WIT)).filter((name) => name.endsWith(".wit") && name !== "world.wit");
  const files = ["world.wit", ...names.sort()].map((name) => readFile(join(WIT, name), "utf8"));
  return (await Promise.all(files)).join("\n");
}

/** The full names of what the component imports. */
async function importNames(component: Uint8Array): Promise<string[]> {
  const wit = await componentWit(component);
  return [...wit.matchAll(/^ {2}import ([^;]+);$/gm)].map((match) => match[1] ?? "");
}

/** The component as an ES module, which takes its imports at instantiation, under their full names. */
async function transpiled(component: Uint8Array, imports: readonly string[]): Promise<Files> {
  const { files } = await transpileBytes(component, {
    name: "extension",
    instantiation: "sync",
    emitTypescriptDeclarations: false,
    minify: true,
    // An error that the guest returns is thrown as it is, which tells it apart from a trap.
    noComponentErrorWrapping: true,
    // Without a mapping the version would be cut off.
    map: Object.fromEntries(imports.map((name) => [name, name])),
  });
  const { limits } = await readPolicy(POLICY);
  return Object.entries(files).map(([name, content]) => {
    if (name === BINDINGS) return [name, new TextEncoder().encode(fasterBindings(new TextDecoder().decode(content)))];
    return [name, name.endsWith(".wasm") ? boundedMemory(content, limits.memoryBytes) : content];
  });
}

async function writeAll(files: Files, directory: string): Promise<void> {
  for (const [name, content] of files) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

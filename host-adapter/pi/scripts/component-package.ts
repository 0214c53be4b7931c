/**
 * From a component to the folder that the extension loads: JavaScript, core modules, manifest, policy.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { $init, generate, generateTypes } from "@bytecodealliance/jco-transpile/component";
import { minify } from "oxc-minify";
import { readPolicy } from "../src/policy.ts";
import { BINDINGS, type Manifest, type Transpiled, transpile } from "../src/transpile/transpile.ts";
import { fasterBindings } from "./faster-bindings.ts";

const ADAPTERS = resolve(import.meta.dirname, "../..");
const POLICY = join(ADAPTERS, "policy.json");
const ADDED_POLICY = join(ADAPTERS, "policy-added.json");
const WIT = resolve(ADAPTERS, "../wit");

type Files = Transpiled["files"];

/** Writes the folder anew. `file` is the name that people know the component by. */
export async function packageComponent(component: Uint8Array, file: string, directory: string): Promise<Manifest> {
  const { manifest, files } = await transpiled(component, file);
  await rm(directory, { recursive: true, force: true });
  await writeAll(files.map(fasterInNode), directory);
  await writeFile(join(directory, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const policy of [POLICY, ADDED_POLICY]) await cp(policy, join(directory, basename(policy)));
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

/** The component that the package holds, for any JavaScript engine. It is loaded often, which is worth some work. */
export async function transpiled(component: Uint8Array, file: string): Promise<Transpiled> {
  await $init;
  const { limits } = await readPolicy(POLICY);
  const { manifest, files } = transpile(component, file, limits.memoryBytes, generate);
  return { manifest, files: await Promise.all(files.map(minified)) };
}

async function minified([name, content]: Files[number]): Promise<Files[number]> {
  if (name !== BINDINGS) return [name, content];
  const { code, errors } = await minify(name, new TextDecoder().decode(content), {
    module: true,
    compress: { target: "es2022" },
    mangle: { keepNames: true },
  });
  if (errors.length > 0) throw new Error(`the bindings cannot be minified: ${errors[0]?.message}`);
  return [name, new TextEncoder().encode(code)];
}

function fasterInNode([name, content]: Files[number]): Files[number] {
  if (name !== BINDINGS) return [name, content];
  return [name, new TextEncoder().encode(fasterBindings(new TextDecoder().decode(content)))];
}

async function writeAll(files: Files, directory: string): Promise<void> {
  for (const [name, content] of files) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/**
 * How to start the real Pi of this package's dependencies, with this extension and, if wanted, the scripted model.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The package that is tried out: the folder above. */
export const PACKAGE = resolve(import.meta.dirname, "..");

const PI = resolve(dirname(fileURLToPath(import.meta.resolve("@earendil-works/pi-coding-agent"))), "..");

/** The entry point that the `pi` command runs. */
export const PI_CLI = join(PI, "dist/bundle/cli.js");

export const PI_VERSION: string = JSON.parse(readFileSync(join(PI, "package.json"), "utf8")).version;

/** Loads this extension. */
export const WITH_EXTENSION = ["--extension", PACKAGE];

/** Loads this extension with a component that breaks. */
export const FAULTY = ["--extension", join(PACKAGE, "harness/faulty.ts")];

/** Loads no extension but those that are named. */
export const ALONE = ["--no-extensions"];

/** Takes its answers from a model of `scripted-model.ts`, so that neither an account nor a network is needed. */
export function scriptedModel(id: string): readonly string[] {
  return ["--extension", join(PACKAGE, "harness/scripted-model.ts"), "--model", `scripted/${id}`];
}

export const WITH_SCRIPTED_MODEL = scriptedModel("scripted-1");

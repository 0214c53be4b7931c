/**
 * Components, transpiled once and kept: making JavaScript of one takes half a second, loading it some
 * thirty milliseconds.
 *
 * Each file has a folder below `cache/pi-capsule` of Pi's own directory, and in it one more, named by the content and by what
 * made it. A folder is written under another name and then renamed, so what is there is whole; a Pi that reads what another
 * one replaces has loaded it or makes it again.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { type Component, loadComponent } from "../component.ts";
import { errorText, plainLine } from "../text.ts";
import type { Transpiled } from "../transpile/transpile.ts";
import { ComponentError } from "../world.ts";

/** The names of folders that are whole. */
const KEPT = /^[0-9a-f]{32}$/;

/** Loads a component as it was kept, or as `make` makes it. `maker` names what `make` depends on besides the content. */
export async function cached(
  file: string,
  content: Uint8Array,
  maker: string,
  make: () => Promise<Transpiled>,
): Promise<Component> {
  const shelf = join(getAgentDir(), "cache/pi-capsule", digest(file));
  const folder = join(shelf, digest(maker, content));
  const load = (): Promise<Component> => loadComponent(pathToFileURL(`${folder}/`));
  try {
    return await load();
  } catch {
    // Not there, or damaged.
  }
  const made = await make();
  const failure: unknown = await keep(made, shelf, folder).catch((error: unknown) => error);
  try {
    return await load();
  } catch (error) {
    // What could not be kept by this Pi may have been kept by another one at the same time.
    const reason = plainLine(errorText(failure ?? error));
    const message = `pi-capsule: cannot keep what it makes of ${made.manifest.file} in ${shelf} (${reason}).`;
    throw new ComponentError(message, { cause: failure ?? error });
  }
}

/** Puts it in the place of whatever was on the shelf. */
async function keep({ manifest, files }: Transpiled, shelf: string, folder: string): Promise<void> {
  const draft = join(shelf, randomUUID());
  await mkdir(draft, { recursive: true });
  for (const [name, content] of files) await writeFile(join(draft, name), content);
  await writeFile(join(draft, "manifest.json"), JSON.stringify(manifest));
  // Node takes the bindings for a module by what stands beside them.
  await writeFile(join(draft, "package.json"), JSON.stringify({ type: "module" }));
  for (const old of (await readdir(shelf)).filter((name) => KEPT.test(name))) {
    await rm(join(shelf, old), { recursive: true, force: true });
  }
  await rename(draft, folder);
}

function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}

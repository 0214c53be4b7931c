/**
 * The package as it is published: `npm pack` of what `npm run build` has made.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE } from "./pi-command.ts";

export interface Packed {
  /** The path of the archive. */
  readonly archive: string;
  /** Bytes, as an archive and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs into a directory, where npm may also keep its cache. */
export async function pack(directory: string): Promise<Packed> {
  const options = ["--ignore-scripts", "--json", "--pack-destination", directory];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...options], {
    cwd: PACKAGE,
    env: { ...process.env, npm_config_cache: join(directory, "npm-cache") },
  });
  const [packed] = JSON.parse(stdout) as [Omit<Packed, "archive"> & { readonly filename: string }];
  return { ...packed, archive: join(directory, packed.filename) };
}

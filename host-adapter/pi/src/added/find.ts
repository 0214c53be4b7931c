/**
 * Which components a person has added: the `.wasm` files in the folders where Pi looks for extensions, and those that the
 * settings name. What belongs to a project counts only while the project is trusted.
 */
import { readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { CONFIG_DIR_NAME, getAgentDir, SettingsManager } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** The section of Pi's settings that is the adapter's own. */
const SECTION = "pi-capsule";

const SectionSchema = Type.Object({ components: Type.Optional(Type.Array(Type.String({ minLength: 1 }))) });

export interface Found {
  /** Absolute paths, in the order in which they are loaded, none of them twice. */
  readonly files: readonly string[];
  /** What could not be made sense of, for people. */
  readonly troubles: readonly string[];
}

export function findComponents(cwd: string, isProjectTrusted: boolean): Found {
  const agent = getAgentDir();
  const project = join(cwd, CONFIG_DIR_NAME);
  const settings = SettingsManager.create(cwd, undefined, { projectTrusted: isProjectTrusted });
  const scopes = [
    { folder: agent, section: sectionOf(settings.getGlobalSettings()) },
    ...(isProjectTrusted ? [{ folder: project, section: sectionOf(settings.getProjectSettings()) }] : []),
  ];
  const files: string[] = [];
  const troubles: string[] = [];
  for (const { folder, section } of scopes) {
    files.push(...inFolder(join(folder, "extensions")));
    if (Value.Check(SectionSchema, section)) {
      files.push(...(section.components ?? []).map((path) => resolve(folder, withHome(path))));
    } else {
      const file = join(folder, "settings.json");
      troubles.push(
        `pi-capsule: "${SECTION}" in ${file} is not understood. Write {"components": ["path/to/component.wasm"]}.`,
      );
    }
  }
  return { files: [...new Set(files.map(canonical))], troubles };
}

function sectionOf(settings: object): unknown {
  return (settings as Record<string, unknown>)[SECTION] ?? {};
}

/** The components right inside of a folder. Most people have no such folder. */
function inFolder(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function withHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

/** The path without links, so that a file is the same by all of its names. One that is missing is missed later. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The world `pi:extension`, by the names of its exports, and whether a component targets it. What a component may import
 * is what `imports/index.ts` offers.
 */

/** What a component of the world exports. */
export const EXPORTS = [
  "pi:extension/commands@0.1.0",
  "pi:extension/completions@0.1.0",
  "pi:extension/lifecycle@0.1.0",
  "pi:extension/tool-observer@0.1.0",
  "pi:extension/tools@0.1.0",
] as const;

/** A component, by what it was made for. */
export interface Ends {
  /** The name that people know it by. */
  readonly file: string;
  /** Its imports and exports by their full names. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

/** A component that cannot be used. The message names the file and says what to do. */
export class ComponentError extends Error {
  override readonly name = "ComponentError";
}

/** Refuses a component that imports what this host does not offer, or lacks an export, or has either in another version. */
export function refuseOtherWorlds({ file, imports, exports }: Ends, offered: readonly string[]): void {
  for (const wanted of imports) {
    if (offered.includes(wanted)) continue;
    const own = sameInterface(wanted, offered);
    throw new ComponentError(
      own === undefined
        ? `pi-capsule: ${file} imports ${wanted}, which this host does not offer. Use a component for the world pi:extension.`
        : otherVersion(file, wanted, own),
    );
  }
  for (const wanted of EXPORTS) {
    if (exports.includes(wanted)) continue;
    const exported = sameInterface(wanted, exports);
    throw new ComponentError(
      exported === undefined
        ? `pi-capsule: ${file} does not export ${wanted}. Use a component for the world pi:extension.`
        : otherVersion(file, exported, wanted),
    );
  }
}

/** `theirs` and `own` name the same interface. */
function otherVersion(file: string, theirs: string, own: string): string {
  const [plain, version = "no version"] = split(theirs);
  return `pi-capsule: ${file} was made for ${plain} ${version}, this host has ${split(own)[1]}. Install the same version of both.`;
}

/** The one of `names` that names the same interface as `name`, in whatever version. */
function sameInterface(name: string, names: readonly string[]): string | undefined {
  return names.find((candidate) => split(candidate)[0] === split(name)[0]);
}

function split(name: string): [plain: string, version: string | undefined] {
  const at = name.lastIndexOf("@");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

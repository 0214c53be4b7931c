/**
 * What a guest may ask for: pure decisions over the data in `policy.json`.
 *
 * The same file and the same cases bind every host, so nothing is decided here that is not written there. Neither Pi
 * nor the component is known to this module, and it starts nothing.
 */
import { readFile } from "node:fs/promises";

/** Names. A `*` at the end of one stands for any ending. */
export type Names = readonly string[];

/** The content of `policy.json`. */
export interface Policy {
  /** By program: the argument lists that are allowed. A word in angle brackets stands for a placeholder. */
  readonly programs: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** By placeholder: the regular expression that an argument in its place must match. */
  readonly placeholders: Readonly<Record<string, string>>;
  readonly environment: {
    readonly set: Readonly<Record<string, string>>;
    readonly remove: Names;
  };
  readonly limits: {
    readonly processMilliseconds: number;
    readonly outputBytes: number;
    readonly concurrentProcesses: number;
    readonly callMilliseconds: number;
    readonly memoryBytes: number;
    /** How many a guest may make in one call, and how many of them may be under way. */
    readonly requests: number;
  };
  readonly settingsSections: Names;
  readonly statusKeys: Names;
  readonly customTypes: Names;
  readonly tools: Names;
  readonly commands: Names;
}

/** Why a request is refused, for people; `undefined` when it is allowed. */
export type Refusal = string | undefined;

export async function readPolicy(file: string | URL): Promise<Policy> {
  return JSON.parse(await readFile(file, "utf8")) as Policy;
}

/** Whether a program may be run with exactly these arguments. */
export function refuseProcess(policy: Policy, program: string, args: readonly string[]): Refusal {
  const shapes = Object.hasOwn(policy.programs, program) ? policy.programs[program] : undefined;
  if (shapes?.some((shape) => matches(policy, shape, args))) return undefined;
  return shapes === undefined
    ? `the program ${program} is not allowed`
    : `${program} is not allowed with these arguments`;
}

function matches(policy: Policy, shape: readonly string[], args: readonly string[]): boolean {
  return shape.length === args.length && shape.every((word, index) => matchesWord(policy, word, args[index] ?? ""));
}

function matchesWord(policy: Policy, word: string, argument: string): boolean {
  const placeholder = policy.placeholders[word];
  return placeholder === undefined ? word === argument : new RegExp(placeholder, "u").test(argument);
}

export function refuseSettingsSection(policy: Policy, name: string): Refusal {
  return isAmong(policy.settingsSections, name) ? undefined : `the settings section "${name}" is not allowed`;
}

export function refuseStatusKey(policy: Policy, key: string): Refusal {
  return isAmong(policy.statusKeys, key) ? undefined : `the status line "${key}" is not allowed`;
}

export function refuseCustomType(policy: Policy, customType: string): Refusal {
  return isAmong(policy.customTypes, customType) ? undefined : `entries of type "${customType}" are not allowed`;
}

export function refuseTool(policy: Policy, name: string): Refusal {
  return isAmong(policy.tools, name) ? undefined : `the tool "${name}" is not allowed`;
}

export function refuseCommand(policy: Policy, name: string): Refusal {
  return isAmong(policy.commands, name) ? undefined : `the command "${name}" is not allowed`;
}

/** The environment of a process: what was inherited, without what the policy removes, with what it sets. */
export function processEnvironment(policy: Policy, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Windows does not tell names apart by case.
  const compared = (name: string): string => (process.platform === "win32" ? name.toUpperCase() : name);
  const kept = Object.entries(inherited).filter(([name]) => !isAmong(policy.environment.remove, compared(name)));
  return { ...Object.fromEntries(kept), ...policy.environment.set };
}

function isAmong(names: Names, name: string): boolean {
  return names.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
}

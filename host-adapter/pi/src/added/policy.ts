/**
 * What an added component may do: its own status line, settings and entries, tools and commands of any free name, and no
 * program. A file beside it, `NAME.policy.json`, lets it do more: whoever could write that could as well have written an
 * extension that is not sandboxed.
 */
import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { Names, Policy } from "../policy.ts";
import { errorText, plainLine } from "../text.ts";
import { ComponentError } from "../world.ts";

const NamesSchema = Type.Array(Type.String());

/** The content of a `NAME.policy.json`: what a component may do besides. The keys are those of `policy.json`. */
const MoreSchema = Type.Object(
  {
    programs: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Array(Type.String())))),
    placeholders: Type.Optional(Type.Record(Type.String(), Type.String({ format: "regex" }))),
    settingsSections: Type.Optional(NamesSchema),
    statusKeys: Type.Optional(NamesSchema),
    customTypes: Type.Optional(NamesSchema),
  },
  { additionalProperties: false },
);

type More = Static<typeof MoreSchema>;

/** What `policy-added.json` says of every added component. */
export type AddedPolicy = Pick<
  Policy,
  "programs" | "settingsSections" | "statusKeys" | "customTypes" | "tools" | "commands"
>;

/** Stands for the name of the component. */
const OWN_NAME = "<component>";

/** The policy of the component of that name and file. */
export async function policyOf(name: string, file: string, base: Policy, added: AddedPolicy): Promise<Policy> {
  const more = await moreOf(file.replace(/\.wasm$/, ".policy.json"));
  const named = (names: Names, others: Names = []): Names => [
    ...names.map((one) => one.replace(OWN_NAME, name)),
    ...others,
  ];
  return {
    ...base,
    programs: { ...added.programs, ...more.programs },
    placeholders: { ...base.placeholders, ...more.placeholders },
    settingsSections: named(added.settingsSections, more.settingsSections),
    statusKeys: named(added.statusKeys, more.statusKeys),
    customTypes: named(added.customTypes, more.customTypes),
    tools: named(added.tools),
    commands: named(added.commands),
  };
}

async function moreOf(file: string): Promise<More> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ComponentError(`pi-capsule: cannot read ${file} (${plainLine(errorText(error))}).`, { cause: error });
  }
  try {
    return Value.Parse(MoreSchema, JSON.parse(text));
  } catch (error) {
    const reason = plainLine(errorText(error));
    throw new ComponentError(
      `pi-capsule: ${file} is no policy (${reason}). It may hold ${Object.keys(MoreSchema.properties).join(", ")}.`,
      { cause: error },
    );
  }
}

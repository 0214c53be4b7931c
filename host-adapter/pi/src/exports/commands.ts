/**
 * `commands`: the guest's commands, as Pi's.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "../capsule.ts";
import { mayRegister } from "../imports/failure.ts";
import { refuseCommand } from "../policy.ts";

/** Registers the commands of the guest that the policy allows. */
export function registerCommands(pi: ExtensionAPI, capsule: Capsule): void {
  for (const { name, description } of capsule.describe((guest) => guest.commands.definitions())) {
    if (!mayRegister(capsule, "command", refuseCommand(capsule.host.policy, name))) continue;
    pi.registerCommand(name, {
      description,
      getArgumentCompletions: async (typed) => {
        const known = await capsule.call("commands.complete", (guest) => guest.commands.complete(name, typed));
        // While Pi shows a list, Enter takes what is chosen there. What is typed already would only be in the way.
        const completions = known?.filter(({ value }) => value !== typed) ?? [];
        return completions.length === 0 ? null : completions;
      },
      handler: async (args, context) => {
        const invocation = { name, arguments: args.trim(), cwd: context.cwd };
        await capsule.call("commands.run", (guest) => guest.commands.run(invocation));
        // Print mode exits with the last command, so the work it has started would never be finished.
        if (!context.hasUI) await capsule.settled();
      },
    });
  }
}

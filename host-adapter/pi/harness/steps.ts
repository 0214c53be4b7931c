/**
 * What the scripted model does in the stories about resets, how full its window of 200,000 tokens is then, and how the
 * person is told.
 */
import type { Step } from "./scripted-model.ts";

/** Asks for a new window. */
export const RESET: Step = { call: [["new_context", {}]] };

/** Uses a tool that has nothing to do with it, so that the run goes on. */
export const READ: Step = { call: [["read", { path: "README.md" }]] };

/** Asks for a new window in one batch with another tool. */
export const RESET_AND_READ: Step = { call: [...(RESET.call ?? []), ...(READ.call ?? [])] };

/** Past the line of the early reminder: 16,384 tokens in reserve and 24,576 more are what is left at it. */
export const REMINDED = 165_000;

/** Past the line of the warning, which is 8,192 tokens before the reserve. */
export const WARNED = 180_000;

/** Past the line at which Pi compacts, which is its reserve. */
export const FULL = 190_000;

/** How the line begins that tells the person of a reset. */
export const RESET_NOTICE = /^Context window reset\b/;

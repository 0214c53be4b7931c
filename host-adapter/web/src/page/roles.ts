import type { Role } from "./session.ts";

/** What the roles of items are called. */
export const ROLES = {
  user: "User",
  assistant: "Assistant",
  tool_call: "Call",
  tool: "Result",
  system: "Summary",
  developer: "Notice",
} as const satisfies Record<Role, string>;

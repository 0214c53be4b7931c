/**
 * What the imports share: the session they speak for, and the few things they may do to it.
 *
 * The imports see this interface and nothing of the capsule that implements it, so that each can be tested alone.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Extension as Guest } from "../component/types/extension.js";
import type { Branch } from "./branch.ts";
import type { Machine } from "./machine.ts";
import type { Policy } from "./policy.ts";

export type { Guest };

/** A session, from `session_start` to `session_shutdown`. */
export interface Session {
  readonly context: ExtensionContext;
  readonly branch: Branch;
}

export type Level = "info" | "warning" | "error";

/** The imports' view of the host of one instance. */
export interface Host {
  readonly pi: ExtensionAPI;
  readonly policy: Policy;
  readonly machine: Machine;

  /** The session. Throws without one, which traps a guest that breaks the contract. */
  session(): Session;

  /**
   * Counts a request: whatever an import does besides telling the guest something. Throws, which traps the guest, when
   * the running call has made more than the policy lets it, or more than that is under way.
   */
  request(): void;

  /** Does `effect` once the running export has returned. A failure is told to the person. */
  defer(effect: () => void): void;

  /** Calls an export, now or when its turn comes; never to another instance, or without a session. */
  deliver(event: string, call: (guest: Guest) => void): void;

  /** Keeps what must be undone when the session ends or the instance is dropped. Returns how to give it up. */
  own(dispose: () => void): () => void;

  /** Lets a command wait for work that goes on after it has returned. */
  await(work: Promise<void>): void;

  /** Shows a notice of the guest: now or, when Pi is about to redraw the conversation, after that. */
  notify(level: Level, message: string): void;

  /** Tells the person, once for each `subject` and session. */
  tellOnce(subject: string, level: Level, message: string): void;
}

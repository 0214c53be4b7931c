/**
 * `agent`: how full the context is, what the agent is doing, messages to the model, and compaction.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type * as Agent from "../../component/types/interfaces/pi-extension-agent.js";
import type { Guest, Host } from "../host.ts";
import { refuseCustomType } from "../policy.ts";
import { parseStoredIfAny, storedText } from "../stored.ts";
import { errorText } from "../text.ts";
import { deny, ImportFailure } from "./failure.ts";

/** Pi's words for the deliveries of the contract. */
const DELIVERIES = {
  append: { triggerTurn: false },
  steer: { deliverAs: "steer" },
  "trigger-turn": { deliverAs: "steer", triggerTurn: true },
} as const satisfies Record<Agent.Delivery, object>;

/** How a compaction that the guest asked for came out. */
type Outcome = Parameters<Guest["lifecycle"]["compactionFinished"]>[1];

export function agent(host: Host): typeof Agent {
  return {
    usage: () => {
      const usage = host.session().context.getContextUsage();
      if (usage === undefined) return undefined;
      return {
        ...(usage.tokens === null ? {} : { used: BigInt(Math.round(usage.tokens)) }),
        ...(usage.contextWindow > 0 ? { window: BigInt(Math.round(usage.contextWindow)) } : {}),
      };
    },

    isIdle: () => host.session().context.isIdle(),
    hasPendingMessages: () => host.session().context.hasPendingMessages(),
    isAborted: () => host.session().context.signal?.aborted ?? false,

    sendMessage: (outgoing, delivery) => {
      host.request();
      const { context } = host.session();
      deny(host, "message type", refuseCustomType(host.policy, outgoing.customType));
      const message = piMessage(outgoing);
      host.defer(() => {
        if (!hasPrompt(context.sessionManager) && isAppended(delivery, context)) sendWithPrompt(host, message);
        else host.pi.sendMessage(message, DELIVERIES[delivery]);
      });
    },

    compact: (attempt) => {
      host.request();
      const { context } = host.session();
      host.defer(() => {
        // Pi tells its handlers whether somebody stopped a compaction, and `onError` only that it failed.
        let stopped = false;
        const stopWatching = host.pi.on("session_compact_failed", (event) => {
          if (event.reason === "manual") stopped = event.aborted;
        });
        let isOver = false;
        const end = (): void => {
          isOver = true;
          stopWatching();
        };
        const release = host.own(end);
        const finish = (outcome: Outcome): void => {
          // It has been answered, or the instance that asked is gone.
          if (isOver) return;
          end();
          release();
          host.deliver("lifecycle.compaction-finished", (guest) =>
            guest.lifecycle.compactionFinished(attempt, outcome),
          );
        };
        context.compact({
          onComplete: () => finish({ tag: "ok", val: undefined }),
          onError: (error) =>
            finish({ tag: "err", val: stopped ? { tag: "cancelled" } : { tag: "failed", val: error.message } }),
        });
      });
    },
  };
}

/** Whether Pi would append the message at once. Without a run there is nothing to steer. */
function isAppended(delivery: Agent.Delivery, context: ExtensionContext): boolean {
  return delivery === "append" || (delivery === "steer" && context.isIdle());
}

/** Whether Pi has stored its prompt and its tools, which it does at the begin of the first run. */
function hasPrompt(sessionManager: ExtensionContext["sessionManager"]): boolean {
  return sessionManager.getBranch().some((entry) => entry.type === "message" && entry.message.role === "system");
}

/**
 * Sends a message with the person's first prompt. If it came before Pi's own prompt, providers would take that for a
 * later change, in the midst of the conversation.
 */
function sendWithPrompt(host: Host, message: Parameters<ExtensionAPI["sendMessage"]>[0]): void {
  const stops = [
    host.pi.on("before_agent_start", () => {
      stopWaiting();
      // At once, and as contained as every other effect: Pi may refuse it.
      host.defer(() => host.pi.sendMessage(message, { deliverAs: "nextTurn" }));
    }),
    // It was meant for the point of the session tree that the person has left.
    host.pi.on("session_tree", () => stopWaiting()),
  ];
  const stopWaiting = (): void => {
    release();
    for (const stop of stops) stop();
  };
  const release = host.own(stopWaiting);
}

/** The message in Pi's words. */
function piMessage({ customType, text, display, details }: Agent.OutgoingMessage) {
  try {
    return { customType, content: storedText(text), display, details: parseStoredIfAny(details) };
  } catch (error) {
    throw new ImportFailure({ tag: "unavailable", val: `a message that cannot be stored: ${errorText(error)}` });
  }
}

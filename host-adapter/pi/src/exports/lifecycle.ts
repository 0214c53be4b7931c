/**
 * `lifecycle`: Pi's events, told to the guest in its words, and its answers, told to Pi.
 */
import type {
  ExtensionAPI,
  ExtensionContext,
  SessionBeforeCompactResult,
  SessionStartEvent,
} from "@earendil-works/pi-coding-agent";
import type * as Lifecycle from "../../component/types/interfaces/pi-extension-lifecycle.js";
import type { Capsule } from "../capsule.ts";
import { boundaryResult, compactionResult } from "../drafts.ts";

/** Pi's words for how a turn or a run ended. */
const OUTCOMES = {
  completed: "completed",
  aborted: "aborted",
  error: "failed",
} as const satisfies Record<string, Lifecycle.RunOutcome>;

/** Begins a session: the first event that the guest hears. */
export function openSession(capsule: Capsule, { reason }: SessionStartEvent, context: ExtensionContext): Promise<void> {
  return capsule.open(context, "lifecycle.session-started", (guest) => guest.lifecycle.sessionStarted(reason));
}

/** Forwards all that happens after {@link openSession}. */
export function forwardLifecycle(pi: ExtensionAPI, capsule: Capsule): void {
  forwardSession(pi, capsule);
  forwardRuns(pi, capsule);
  forwardCompaction(pi, capsule);
}

function forwardSession(pi: ExtensionAPI, capsule: Capsule): void {
  pi.on("session_shutdown", ({ reason }) =>
    capsule.close("lifecycle.session-shut-down", (guest) => guest.lifecycle.sessionShutDown(reason)),
  );
  pi.on("session_tree", () => capsule.call("lifecycle.branch-changed", (guest) => guest.lifecycle.branchChanged()));
  pi.on("model_select", () => capsule.call("lifecycle.model-changed", (guest) => guest.lifecycle.modelChanged()));
}

function forwardRuns(pi: ExtensionAPI, capsule: Capsule): void {
  /** How the latest run ended: the event of settling only knows whether it was stopped. */
  let latest: Lifecycle.RunOutcome = "completed";

  pi.on("context", async () => {
    await capsule.call("lifecycle.context-requested", (guest) => guest.lifecycle.contextRequested());
  });
  pi.on("turn_end", async ({ outcome }) => {
    await capsule.call("lifecycle.turn-ended", (guest) => guest.lifecycle.turnEnded(OUTCOMES[outcome]));
  });
  pi.on("agent_end", ({ messages }) => {
    const answer = messages.findLast((message) => message.role === "assistant");
    const reason = answer?.stopReason;
    latest = OUTCOMES[reason === "aborted" || reason === "error" ? reason : "completed"];
    return capsule.call("lifecycle.agent-ended", (guest) => guest.lifecycle.agentEnded(latest));
  });
  pi.on("agent_before_settle", async ({ entries }) => {
    const boundary = await capsule.call("lifecycle.before-settle", (guest) => guest.lifecycle.beforeSettle());
    return boundary === undefined ? undefined : boundaryResult(capsule.host, entries, boundary);
  });
  pi.on("agent_settled", ({ aborted }) =>
    capsule.call("lifecycle.agent-settled", (guest) => guest.lifecycle.agentSettled(aborted ? "aborted" : latest)),
  );
}

function forwardCompaction(pi: ExtensionAPI, capsule: Capsule): void {
  pi.on(
    "session_before_compact",
    async ({ reason, willRetry, signal, preparation }): Promise<SessionBeforeCompactResult | undefined> => {
      const request = { reason, willRetry, aborted: signal.aborted };
      const decision = await capsule.call("lifecycle.before-compact", (guest) =>
        guest.lifecycle.beforeCompact(request),
      );
      switch (decision?.tag) {
        case "cancel":
          return { cancel: true };
        case "replace":
          return compactionResult(capsule.host, decision.val, preparation.tokensBefore);
        default:
          // Pi keeps the last answer that is not empty: an empty object would discard that of another extension.
          return undefined;
      }
    },
  );
  pi.on("session_compact", ({ compactionEntry, reason, willRetry }) =>
    capsule.callBeforeRedraw("lifecycle.compacted", (guest) =>
      guest.lifecycle.compacted({ entry: compactionEntry.id, reason, willRetry }),
    ),
  );
  pi.on("session_compact_failed", ({ reason, aborted, errorMessage }) => {
    const failure = { reason, aborted, ...(errorMessage === undefined ? {} : { message: errorMessage }) };
    return capsule.call("lifecycle.compaction-failed", (guest) => guest.lifecycle.compactionFailed(failure));
  });
}

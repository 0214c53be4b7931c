/**
 * The guest's answers at the end of a run and before a compaction, in Pi's words.
 *
 * An answer that the policy refuses, or that cannot be read, is no answer: Pi goes on as without this extension.
 */
import type {
  AgentBeforeSettleEvent,
  AgentBeforeSettleEventResult,
  SessionBeforeCompactResult,
} from "@earendil-works/pi-coding-agent";
import type { Boundary, CompactionContent, Draft } from "../component/types/interfaces/pi-extension-lifecycle.js";
import type { Host } from "./host.ts";
import { tellDenied } from "./imports/failure.ts";
import { type Policy, type Refusal, refuseCustomType } from "./policy.ts";
import { parseStored, parseStoredIfAny, storedText } from "./stored.ts";
import { errorText, plainLine } from "./text.ts";

type PiDraft = AgentBeforeSettleEvent["entries"][number];

/** What Pi should append, after what other extensions have asked for, and whether it should go on. */
export function boundaryResult(
  host: Host,
  proposed: readonly PiDraft[],
  { drafts, continueRun }: Boundary,
): AgentBeforeSettleEventResult | undefined {
  return read(host, () => {
    const refusal = drafts.map((draft) => refuseDraft(host.policy, draft)).find((reason) => reason !== undefined);
    if (refusal !== undefined) {
      tellDenied(host, "boundary", refusal);
      return undefined;
    }
    const entries = drafts.map(piDraft);
    return {
      ...(entries.length > 0 ? { entries: [...proposed, ...entries] } : {}),
      ...(continueRun ? { continue: true } : {}),
    };
  });
}

/** The compaction that Pi should write in place of its own. */
export function compactionResult(
  host: Host,
  content: CompactionContent,
  tokensBefore: number,
): SessionBeforeCompactResult | undefined {
  return read(host, () => ({
    compaction: {
      summary: storedText(content.summary),
      // Pi's type says string, but like the drafts it takes null for keeping nothing.
      firstKeptEntryId: (content.firstKept ?? null) as string,
      tokensBefore,
      details: parseStoredIfAny(content.details),
    },
  }));
}

function refuseDraft(policy: Policy, draft: Draft): Refusal {
  return draft.tag === "compaction" ? undefined : refuseCustomType(policy, draft.val.customType);
}

function piDraft(draft: Draft): PiDraft {
  switch (draft.tag) {
    case "custom":
      return { type: "custom", customType: draft.val.customType, data: parseStored(draft.val.data) };
    case "message": {
      const { customType, text, display, details } = draft.val;
      const content = storedText(text);
      return { type: "custom_message", customType, content, display, details: parseStoredIfAny(details) };
    }
    case "compaction": {
      const { summary, firstKept, details } = draft.val;
      return {
        type: "compaction",
        summary: storedText(summary),
        firstKeptEntryId: firstKept ?? null,
        details: parseStoredIfAny(details),
      };
    }
  }
}

function read<T>(host: Host, answer: () => T): T | undefined {
  try {
    return answer();
  } catch (error) {
    const reason = plainLine(errorText(error));
    host.tellOnce(
      "answer",
      "warning",
      `pi-capsule: ignored an answer of the component that cannot be stored (${reason}).`,
    );
    return undefined;
  }
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { forwardLifecycle, openSession } from "../../src/exports/lifecycle.ts";
import { FakePi, loadCapsule } from "../support/fake-pi.ts";
import { type Answers, type Call, recordingGuest } from "../support/recording-guest.ts";

/** A session that has begun, whose guest answers so. */
async function begin(answers: Answers = {}) {
  const pi = new FakePi();
  const calls: Call[] = [];
  const capsule = await loadCapsule(
    pi,
    recordingGuest((call) => calls.push(call), answers),
  );
  forwardLifecycle(pi.api, capsule);
  await openSession(capsule, { type: "session_start", reason: "startup" }, pi.context);
  calls.length = 0;
  return { pi, calls };
}

const assistant = (stopReason: string) => ({ role: "assistant", stopReason });

describe("lifecycle: events", () => {
  it("tells every event in the guest's words", async () => {
    const { pi, calls } = await begin();
    await pi.emit("session_tree");
    await pi.emit("model_select");
    await pi.emit("context", { messages: [] });
    await pi.emit("turn_end", { outcome: "error" });
    await pi.emit("session_compact", { compactionEntry: { id: "c" }, reason: "overflow", willRetry: true });
    await pi.emit("session_compact_failed", { reason: "manual", aborted: true, willRetry: false });
    await pi.emit("session_compact_failed", { reason: "threshold", aborted: false, errorMessage: "no" });
    await pi.emit("session_shutdown", { reason: "reload" });
    assert.deepEqual(calls, [
      ["lifecycle.branchChanged"],
      ["lifecycle.modelChanged"],
      ["lifecycle.contextRequested"],
      ["lifecycle.turnEnded", "failed"],
      ["lifecycle.compacted", { entry: "c", reason: "overflow", willRetry: true }],
      ["lifecycle.compactionFailed", { reason: "manual", aborted: true }],
      ["lifecycle.compactionFailed", { reason: "threshold", aborted: false, message: "no" }],
      ["lifecycle.sessionShutDown", "reload"],
    ]);
  });

  it("tells how a run ended, also when it settles", async () => {
    const { pi, calls } = await begin();
    const endings = [
      ["stop", false],
      ["error", false],
      ["aborted", true],
    ] as const;
    for (const [stopReason, aborted] of endings) {
      await pi.emit("agent_end", { messages: [{ role: "user" }, assistant(stopReason), { role: "toolResult" }] });
      await pi.emit("agent_settled", { aborted });
    }
    assert.deepEqual(
      calls.map(([, outcome]) => outcome),
      ["completed", "completed", "failed", "failed", "aborted", "aborted"],
    );
  });
});

describe("lifecycle: before the agent settles", () => {
  const others = [{ type: "custom", customType: "todo" }];
  const settle = async (boundary: unknown) => {
    const { pi } = await begin({ "lifecycle.beforeSettle": () => boundary });
    return { pi, result: await pi.emit("agent_before_settle", { entries: others }) };
  };

  it("has no opinion without a boundary, nor with an empty one", async () => {
    assert.equal((await settle(undefined)).result, undefined);
    assert.deepEqual((await settle({ drafts: [], continueRun: false })).result, {});
  });

  it("puts the guest's entries after those of other extensions", async () => {
    const { result } = await settle({
      continueRun: true,
      drafts: [
        { tag: "custom", val: { customType: "pi-context/reset-marker", data: '{"version":1}' } },
        { tag: "compaction", val: { summary: "All.", details: '{"windowId":"w"}' } },
        { tag: "message", val: { customType: "pi-context/continuation", text: "Go on.", display: false } },
      ],
    });
    assert.deepEqual(result, {
      continue: true,
      entries: [
        ...others,
        { type: "custom", customType: "pi-context/reset-marker", data: { version: 1 } },
        { type: "compaction", summary: "All.", firstKeptEntryId: null, details: { windowId: "w" } },
        {
          type: "custom_message",
          customType: "pi-context/continuation",
          content: "Go on.",
          display: false,
          details: undefined,
        },
      ],
    });
  });

  it("appends none when one of them is refused or cannot be read", async () => {
    const fine = { tag: "compaction", val: { summary: "All." } };
    const refused = await settle({
      continueRun: true,
      drafts: [fine, { tag: "custom", val: { customType: "todo", data: "{}" } }],
    });
    assert.equal(refused.result, undefined);
    assert.match(String(refused.pi.shown[0]?.[1]), /entries of type "todo" are not allowed/);

    const broken = await settle({
      continueRun: true,
      drafts: [fine, { tag: "custom", val: { customType: "pi-context/note", data: "{" } }],
    });
    assert.equal(broken.result, undefined);
    assert.match(String(broken.pi.shown[0]?.[1]), /cannot be stored/);
  });
});

describe("lifecycle: before a compaction", () => {
  const compact = async (decision: unknown, signal = new AbortController().signal) => {
    const { pi, calls } = await begin({ "lifecycle.beforeCompact": () => decision });
    const preparation = { tokensBefore: 1000 };
    const result = await pi.emit("session_before_compact", {
      reason: "threshold",
      willRetry: false,
      signal,
      preparation,
    });
    return { calls, result };
  };

  it("asks, and says whether it has been stopped already", async () => {
    const { calls } = await compact({ tag: "no-opinion" }, AbortSignal.abort());
    assert.deepEqual(calls, [["lifecycle.beforeCompact", { reason: "threshold", willRetry: false, aborted: true }]]);
  });

  it("turns no opinion into no answer, since Pi takes an empty one for an answer", async () => {
    assert.equal((await compact({ tag: "no-opinion" })).result, undefined);
  });

  it("cancels or replaces it", async () => {
    assert.deepEqual((await compact({ tag: "cancel" })).result, { cancel: true });
    const content = { summary: "All.", firstKept: "e", details: "[1]" };
    assert.deepEqual((await compact({ tag: "replace", val: content })).result, {
      compaction: { summary: "All.", firstKeptEntryId: "e", tokensBefore: 1000, details: [1] },
    });
  });
});

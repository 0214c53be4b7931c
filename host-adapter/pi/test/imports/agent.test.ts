import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CompactOptions,
  type ContextUsage,
  type ExtensionAPI,
  SessionManager,
} from "@earendil-works/pi-coding-agent";
import { agent } from "../../src/imports/agent.ts";
import { FakeHost } from "../support/fake-host.ts";

const message = { customType: "pi-context/warning", text: "Soon.", display: false };

describe("agent: state", () => {
  const usageOf = (usage: ContextUsage | undefined) =>
    agent(new FakeHost({ context: { getContextUsage: () => usage } })).usage();

  it("tells how full the context is, and leaves out what is unknown", () => {
    assert.equal(usageOf(undefined), undefined);
    assert.deepEqual(usageOf({ tokens: 12.4, contextWindow: 200_000, percent: 0 }), { used: 12n, window: 200_000n });
    assert.deepEqual(usageOf({ tokens: null, contextWindow: 200_000, percent: null }), { window: 200_000n });
    assert.deepEqual(usageOf({ tokens: 5, contextWindow: 0, percent: null }), { used: 5n });
  });

  it("tells whether the run was stopped", () => {
    const isAborted = (signal: AbortSignal | undefined) => agent(new FakeHost({ context: { signal } })).isAborted();
    assert.equal(isAborted(undefined), false);
    assert.equal(isAborted(new AbortController().signal), false);
    assert.equal(isAborted(AbortSignal.abort()), true);
  });
});

describe("agent: messages", () => {
  function openAgent(isIdle = true) {
    const sent: unknown[][] = [];
    const handlers = new Map<string, () => void>();
    const pi = {
      sendMessage: (...args: unknown[]) => sent.push(args),
      on: (event: string, handler: () => void) => {
        handlers.set(event, handler);
        return () => handlers.delete(event);
      },
    } as unknown as Partial<ExtensionAPI>;
    const sessionManager = SessionManager.inMemory();
    const host = new FakeHost({ pi, context: { isIdle: () => isIdle }, sessionManager });
    return { host, sent, sessionManager, handlers, sendMessage: agent(host).sendMessage };
  }

  it("sends them once the export has returned, in order, each in its way", () => {
    const { host, sent, sessionManager, sendMessage } = openAgent();
    sessionManager.appendMessage({ role: "system", content: "Help.", timestamp: 0 });
    sendMessage(message, "append");
    sendMessage(message, "steer");
    sendMessage({ ...message, details: '{"left":1}' }, "trigger-turn");
    assert.deepEqual(sent, []);
    host.returnFromExport();
    const given = { customType: "pi-context/warning", content: "Soon.", display: false, details: undefined };
    assert.deepEqual(sent, [
      [given, { triggerTurn: false }],
      [given, { deliverAs: "steer" }],
      [
        { ...given, details: { left: 1 } },
        { deliverAs: "steer", triggerTurn: true },
      ],
    ]);
  });

  it("lets Pi's own prompt be the first message", () => {
    const { host, sent, handlers, sendMessage } = openAgent();
    const send = () => {
      sendMessage(message, "append");
      host.returnFromExport();
      assert.equal(handlers.size, 2);
    };
    send();
    assert.deepEqual(sent, []);
    handlers.get("before_agent_start")?.();
    host.returnFromExport();
    const given = { customType: "pi-context/warning", content: "Soon.", display: false, details: undefined };
    assert.deepEqual(sent, [[given, { deliverAs: "nextTurn" }]]);
    assert.deepEqual([handlers.size, host.disposers.size], [0, 0]);

    send();
    handlers.get("session_tree")?.();
    assert.deepEqual([handlers.size, host.disposers.size], [0, 0], "not at another point of the tree");

    send();
    for (const dispose of host.disposers) dispose();
    assert.deepEqual([handlers.size, host.disposers.size], [0, 0], "not after the end of the session");
    assert.equal(sent.length, 1);
  });

  it("lets those to steer by wait for it, too, so that they stay in order", () => {
    const { host, handlers, sendMessage } = openAgent();
    sendMessage(message, "append");
    sendMessage(message, "steer");
    host.returnFromExport();
    assert.equal(host.disposers.size, 2);
    assert.ok(handlers.has("before_agent_start"));
  });

  it("leaves it to the capsule what becomes of a refusal at that moment", () => {
    const { host, handlers, sent, sendMessage } = openAgent();
    sent.push = () => {
      throw new Error("no model");
    };
    sendMessage(message, "append");
    host.returnFromExport();
    handlers.get("before_agent_start")?.();
    assert.throws(() => host.returnFromExport(), /no model/);
  });

  it("steers a run that has begun, whatever is stored", () => {
    const { host, sent, sendMessage } = openAgent(false);
    sendMessage(message, "steer");
    host.returnFromExport();
    assert.equal(sent.length, 1);
  });

  it("refuses messages of other extensions, and what cannot be stored", () => {
    const { host, sendMessage } = openAgent();
    assert.throws(() => sendMessage({ ...message, customType: "todo" }, "append"), {
      payload: { tag: "denied", val: 'entries of type "todo" are not allowed' },
    });
    for (const unstorable of [{ details: "{" }, { text: "x".repeat(2 * 1024 * 1024 + 1) }]) {
      assert.throws(
        () => sendMessage({ ...message, ...unstorable }, "append"),
        ({ payload }) => payload.tag === "unavailable",
      );
    }
    assert.deepEqual(host.effects, []);
  });
});

describe("agent: compaction", () => {
  function askForCompaction() {
    let options: CompactOptions | undefined;
    const handlers = new Set<(event: object) => void>();
    const pi = {
      on: (_event: string, handler: (event: object) => void) => {
        handlers.add(handler);
        return () => handlers.delete(handler);
      },
    } as unknown as Partial<ExtensionAPI>;
    const context = {
      compact: (given?: CompactOptions) => {
        options = given;
      },
    };
    const host = new FakeHost({ pi, context });
    agent(host).compact(7);
    assert.equal(options, undefined, "not before the export has returned");
    host.returnFromExport();
    assert.ok(options);
    return { host, options: options as CompactOptions, handlers };
  }

  const finished = (outcome: object) => [["lifecycle.compactionFinished", 7, outcome]];

  it("answers the attempt when the compaction is there", () => {
    const { host, options, handlers } = askForCompaction();
    options.onComplete?.({ summary: "", firstKeptEntryId: "", tokensBefore: 0 });
    assert.deepEqual(host.delivered, finished({ tag: "ok", val: undefined }));
    assert.equal(handlers.size, 0);
  });

  it("answers once, whatever Pi calls, and not at all when the instance that asked is gone", () => {
    const twice = askForCompaction();
    twice.options.onComplete?.({ summary: "", firstKeptEntryId: "", tokensBefore: 0 });
    twice.options.onComplete?.({ summary: "", firstKeptEntryId: "", tokensBefore: 0 });
    twice.options.onError?.(new Error("late"));
    assert.deepEqual(twice.host.delivered, finished({ tag: "ok", val: undefined }));

    const late = askForCompaction();
    for (const dispose of late.host.disposers) dispose();
    late.options.onComplete?.({ summary: "", firstKeptEntryId: "", tokensBefore: 0 });
    assert.deepEqual(late.host.delivered, []);
    assert.equal(late.handlers.size, 0);
  });

  it("tells a compaction that failed from one that was stopped", () => {
    const failed = askForCompaction();
    failed.options.onError?.(new Error("Nothing to compact"));
    assert.deepEqual(
      failed.host.delivered,
      finished({ tag: "err", val: { tag: "failed", val: "Nothing to compact" } }),
    );

    const stopped = askForCompaction();
    for (const handler of stopped.handlers) handler({ reason: "manual", aborted: true });
    stopped.options.onError?.(new Error("whatever"));
    assert.deepEqual(stopped.host.delivered, finished({ tag: "err", val: { tag: "cancelled" } }));
  });
});

import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { FULL, READ, RESET, RESET_AND_READ, RESET_NOTICE } from "../../harness/steps.ts";
import { AT_ONCE, storyOfTamarind } from "../support/story.ts";

describe("a compaction of the real Pi", { concurrency: AT_ONCE }, () => {
  /** There was one reset and the model had no part in it. */
  const assertReset = async (session: ScriptedSession, reason: string, requests: number) => {
    const [marker, ...others] = session.entriesOf("pi-context/reset-marker");
    assert.deepEqual(others, []);
    assert.deepEqual(marker?.data, { version: 1, reason, requested: false });
    const [reset] = session.resets;
    assert.deepEqual(session.entriesOf("compaction"), [reset]);
    assert.equal(reset?.firstKeptEntryId, marker?.id);
    assert.deepEqual(session.entriesOf("pi-context/state").at(-1)?.data, { version: 1, lastResetEntryId: reset?.id });
    assert.equal(session.requests.length, requests, "no request for a summary");
    const [notice, ...more] = await session.notices();
    assert.deepEqual(more, []);
    assert.equal(notice?.level, "info");
    assert.match(notice?.text ?? "", RESET_NOTICE);
  };

  storyOfTamarind("becomes a reset when a run ends with a full window, and nothing goes on", async (session) => {
    await session.run([{ say: "That was long.", used: FULL }]);
    await assertReset(session, "threshold", 2);
    assert.deepEqual(session.entriesOf("pi-context/continuation"), []);

    await session.type("And then?");
    assert.equal(session.lastRequest.length, 2);
    assert.match(session.lastRequest[0]?.text ?? "", /<context_window>/);
    assert.equal(session.lastRequest[1]?.text, "And then?");
  });

  storyOfTamarind("becomes a reset in the middle of a run, which goes on by itself", async (session) => {
    await session.run([{ ...READ, used: FULL }, { say: "I go on." }]);
    await assertReset(session, "threshold", 3);
    assert.equal(session.lastRequest.length, 1, "the boot block alone");
    assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
  });

  storyOfTamarind("becomes a reset when the model refuses the request, which is tried again", async (session) => {
    await session.run([{ overflow: true }, { say: "Now it fits." }]);
    await assertReset(session, "overflow", 3);
    assert.equal(session.lastRequest.length, 1, "the boot block alone");
    assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
  });

  storyOfTamarind("becomes a reset when the person asks for it", async (session) => {
    await session.pi.command("compact");
    await assertReset(session, "manual", 1);
    await session.type("And then?");
    assert.equal(session.lastRequest.length, 2);
  });

  storyOfTamarind("becomes a reset when the person asks for it in a run, which is stopped", async (session) => {
    const settled = await session.runUntilHeld([{ hold: "the answer" }, { say: "Never said." }]);
    await session.pi.command("compact");
    await settled();
    await assertReset(session, "manual", 2);
    await session.type("And then?");
    assert.equal(session.requests.length, 3);
    assert.equal(session.lastRequest.length, 2);
  });

  storyOfTamarind("becomes a reset when another extension asks for it", async (session) => {
    const before = session.pi.records.length;
    await session.type("/rival compact");
    await session.pi.record("the end of the compaction", ({ type }) => type === "compaction_end", before);
    await assertReset(session, "manual", 1);
  });

  storyOfTamarind("serves the request that the model has made, and the model is sent on", async (session) => {
    await session.run([{ ...RESET, used: FULL }, { say: "On with it." }]);
    assert.equal(session.resets.length, 1);
    assert.equal(session.requests.length, 3);
    assert.equal(session.lastRequest.length, 2);
    assert.equal(session.entriesOf("pi-context/continuation").length, 1);
    assert.equal((await session.notices()).length, 1);
  });

  for (const [how, steps, requests] of [
    ["is full", [{ ...RESET_AND_READ, used: FULL }, { say: "I go on." }], 3],
    ["is refused", [RESET_AND_READ, { overflow: true }, { say: "I go on." }], 4],
  ] as const) {
    storyOfTamarind(
      `serves the request that the model has made, when the run ${how} and goes on by itself`,
      async (session) => {
        await session.run(steps);
        assert.equal(session.resets.length, 1);
        assert.equal(session.requests.length, requests);
        assert.equal(session.lastRequest.length, 1, "the boot block alone");
        assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
        assert.equal((await session.notices()).length, 1);
      },
    );
  }

  storyOfTamarind("says no more than Pi when the boot block itself does not fit", async (session) => {
    await session.run([{ overflow: true }, { overflow: true }]);
    await assertReset(session, "overflow", 3);
    await session.type("And then?");
    assert.equal(session.resets.length, 1);
    assert.equal((await session.notices()).length, 1);
  });
});

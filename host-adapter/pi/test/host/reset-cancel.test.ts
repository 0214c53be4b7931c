import assert from "node:assert/strict";
import { describe } from "node:test";
import { RIVAL_SUMMARY } from "../../harness/rival.ts";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { FULL, READ, RESET, RESET_AND_READ, RESET_NOTICE } from "../../harness/steps.ts";
import { AT_ONCE, storyOfTamarind } from "../support/story.ts";

describe("a compaction that another extension has a say in", { concurrency: AT_ONCE }, () => {
  for (const [reason, steps, requests, attempts] of [
    ["that the person asked for", undefined, 2, 1],
    // Pi tries it again before the next prompt, and the model is warned: the window is as full as before.
    ["at the threshold", [{ say: "That was long.", used: FULL }], 4, 2],
    ["of a request that is too long", [{ overflow: true }, { say: "Never said." }], 3, 1],
  ] as const) {
    storyOfTamarind(`is given up by it, ${reason}, and the conversation is kept`, async (session) => {
      await session.type("/rival cancel");
      if (steps === undefined) await assert.rejects(session.pi.command("compact"), /Compaction cancelled/);
      else await session.run(steps);
      await assertKept(session, requests);
      assert.equal((await session.notices(/conversation.* kept/)).length, attempts);
    });
  }

  storyOfTamarind("is not in the way of a later one", async (session) => {
    await session.type("/rival cancel");
    await assert.rejects(session.pi.command("compact"), /Compaction cancelled/);
    await session.type("/rival nothing");
    await session.pi.command("compact");
    assert.equal(session.resets.length, 1);
  });

  storyOfTamarind("is of it, when it answers last, which the person is told once", async (session) => {
    await session.type("/rival replace");
    await session.run([{ ...READ, used: FULL }, { say: "I go on." }]);
    assert.deepEqual(session.resets, []);
    const [compaction] = session.entriesOf("compaction");
    assert.equal(compaction?.summary, RIVAL_SUMMARY);
    assert.deepEqual(session.entriesOf("pi-context/state"), []);
    assert.equal((await session.notices(/reset/i)).length, 1);
    assert.deepEqual(await session.notices(RESET_NOTICE), []);

    await session.type("And then?");
    assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
    const [active, root] = await session.windows();
    assert.equal(active, compaction?.id, "the window has the name of Pi's entry");
    assert.match(root ?? "", /:root$/);
    assert.equal((await session.notices(/reset/i)).length, 1);
  });
});

describe("Esc", { concurrency: AT_ONCE }, () => {
  storyOfTamarind("before the model has asked for a reset", async (session) => {
    const settled = await session.runUntilHeld([{ ...RESET, hold: "the call" }, { say: "Never said." }]);
    await session.pi.command("abort");
    await settled();
    await assertKept(session, 3);
  });

  storyOfTamarind("while another tool of the batch runs", async (session) => {
    const sleep = { call: [...(RESET.call ?? []), ["bash", { command: "sleep 60" }] as const] };
    const before = session.pi.records.length;
    const prompted = session.run([sleep, { say: "Never said." }]);
    await session.pi.record(
      "the shell to run",
      ({ type, toolName }) => type === "tool_execution_start" && toolName === "bash",
      before,
    );
    await session.pi.command("abort");
    await prompted;
    await assertKept(session, 3);
  });

  storyOfTamarind("before the run that has asked for a reset is over", async (session) => {
    const settled = await session.runUntilHeld([RESET_AND_READ, { hold: "the last word" }, { say: "Never said." }]);
    await session.pi.command("abort");
    await settled();
    await assertKept(session, 4);
  });

  storyOfTamarind("while the run settles: the reset is made, but nothing goes on", async (session) => {
    await session.type("/rival hold-settling");
    const settled = await session.runUntilRivalHolds([RESET, { say: "Never said." }]);
    await session.type("/rival nothing");
    const aborted = session.pi.command("abort");
    await session.type("/rival go-on");
    await aborted;
    await settled();
    assert.equal(session.resets.length, 1);
    assert.equal(session.requests.length, 2);
    await assertFresh(session, 3);
    assert.equal(session.entriesOf("pi-context/state").length, 1);
    assert.equal((await session.notices(RESET_NOTICE)).length, 1);
  });

  storyOfTamarind("in the new window: it stays, and nothing goes on", async (session) => {
    const settled = await session.runUntilHeld([RESET, { hold: "the first word" }, { say: "Never said." }]);
    await session.pi.command("abort");
    await settled();
    assert.equal(session.resets.length, 1);
    await assertFresh(session, 4);

    await session.run([RESET, { say: "On with it." }]);
    assert.equal(session.resets.length, 2, "a later request is served");
    assert.equal(session.requests.length, 6);
  });

  storyOfTamarind("in the new window, after another request in it", async (session) => {
    const steps = [RESET, RESET_AND_READ, { hold: "the first word" }, { say: "Never said." }];
    const settled = await session.runUntilHeld(steps);
    await session.pi.command("abort");
    await settled();
    assert.equal(session.resets.length, 1);
    await assertFresh(session, 5);
    assert.equal(session.resets.length, 1);
  });

  for (const [when, steps, triedAgain] of [
    ["when the run has ended", [{ say: "That was long.", used: FULL }], true],
    ["in the middle of a run", [{ ...READ, used: FULL }, { say: "Never said." }], true],
    ["that serves a request", [{ ...RESET, used: FULL }, { say: "Never said." }], true],
    ["when the model has refused", [{ overflow: true }, { say: "Never said." }], false],
  ] as const) {
    storyOfTamarind(`in a compaction ${when}`, async (session) => {
      await session.type("/rival hold");
      const settled = await session.runUntilRivalHolds(steps);
      await session.type("/rival nothing");
      await session.pi.command("abort");
      await settled();
      assert.deepEqual(session.entriesOf("compaction"), []);
      assert.equal(session.requests.length, 2);
      // Pi compacts before the next prompt what is still as full as before.
      await (triedAgain ? assertFresh(session, 3) : assertKept(session, 3));
      assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
    });
  }

  storyOfTamarind("in a compaction that the person asked for", async (session) => {
    await session.type("/rival hold");
    const begin = session.pi.records.length;
    const compacted = assert.rejects(session.pi.command("compact"), /Compaction cancelled/);
    await session.pi.record("the rival to hold", ({ statusText }) => statusText === "compaction", begin);
    await session.type("/rival nothing");
    await session.pi.command("abort");
    await compacted;
    await assertKept(session, 2);
  });
});

describe("/pi-context", { concurrency: AT_ONCE }, () => {
  storyOfTamarind("off leaves compaction to Pi, on takes it back", async (session) => {
    await session.type("/pi-context off");
    const refused = await session.call("new_context");
    assert.ok(refused.isError);
    assert.match(refused.text, /\/pi-context on/);
    await session.run([{ say: "That was long.", used: FULL }, { say: "Pi's summary." }]);
    assert.deepEqual(session.resets, []);
    const [compaction] = session.entriesOf("compaction");
    assert.match(compaction?.summary ?? "", /Pi's summary/);
    assert.deepEqual(await session.notices(RESET_NOTICE), []);
    assert.equal((await session.windows()).length, 2, "the history tools go on");
    const { isError } = await session.call("notes_write_file", { path: "a.md", text: "a" });
    assert.equal(isError, false, "the note tools go on");

    await session.type("/pi-context on");
    await session.run([RESET, { say: "On with it." }]);
    assert.equal(session.resets.length, 1);
    assert.equal(session.lastRequest.length, 2);
  });

  storyOfTamarind("off drops a request that has been made", async (session) => {
    const settled = await session.runUntilHeld([RESET_AND_READ, { hold: "the last word" }]);
    await session.type("/pi-context off");
    await session.type("/go-on");
    await settled();
    await assertKept(session, 4);
  });
});

/** The model still knows everything, and nothing has run but the prompt of this check: the request of that number. */
async function assertKept(session: ScriptedSession, requests: number): Promise<void> {
  await session.type("What was the word?");
  assert.deepEqual(session.resets, []);
  assert.equal(session.requests.length, requests);
  const [first] = session.lastRequest.filter(({ text }) => !text.includes("<context_window>"));
  assert.equal(first?.text, "Remember the word tamarind.");
  assert.deepEqual(session.entriesOf("pi-context/continuation"), []);
  assert.deepEqual(await session.notices(RESET_NOTICE), []);
}

/** The model knows nothing of before, and nothing has run but the prompt of this check. */
async function assertFresh(session: ScriptedSession, requests: number): Promise<void> {
  await session.type("What was the word?");
  assert.equal(session.requests.length, requests);
  assert.doesNotMatch(JSON.stringify(session.lastRequest), /tamarind/);
  assert.equal(session.lastRequest.at(-1)?.text, "What was the word?");
}

import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Step } from "../../harness/scripted-model.ts";
import type { Told } from "../../harness/scripted-session.ts";
import { RESET, RESET_AND_READ, RESET_NOTICE } from "../../harness/steps.ts";
import { AT_ONCE, story, storyWith } from "../support/story.ts";

describe("new_context in the real Pi", { concurrency: AT_ONCE }, () => {
  for (const [length, ballast] of [
    ["a session too short for Pi to compact", ""],
    ["a long session", "word ".repeat(100_000)],
  ] as const) {
    storyWith(
      { settings: {} },
      `leaves the model of ${length} with the boot block and a word to go on`,
      async (session) => {
        await session.run([{ say: "I keep the word tamarind." }], ballast);
        await session.run([RESET, { say: "On with it." }]);

        const [boot, continuation, ...others] = session.lastRequest;
        assert.deepEqual(others, []);
        assert.match(boot?.text ?? "", /<context_window>.*<context_window_protocol>/s);
        assert.equal(continuation?.role, "user");
        assert.doesNotMatch(textOf(session.lastRequest), /tamarind|word word/);
        assert.equal(session.requests.length, 3, "one for each step");
      },
    );
  }

  story("writes the reset so that it can be read again", async (session) => {
    await session.run([RESET, { say: "On with it." }]);

    const [marker] = session.entriesOf("pi-context/reset-marker");
    const [compaction, ...others] = session.entriesOf("compaction");
    const [state] = session.entriesOf("pi-context/state");
    assert.deepEqual(others, []);
    assert.deepEqual(marker?.data, { version: 1, reason: "manual", requested: true });
    assert.deepEqual(Object.keys(compaction?.details ?? {}).sort(), ["piContext", "windowId"]);
    assert.deepEqual(session.resets, [compaction]);
    assert.equal(compaction?.firstKeptEntryId, compaction?.id, "nothing of before is kept");
    assert.deepEqual(state?.data, { version: 1, lastResetEntryId: compaction?.id });
    assert.equal(session.entriesOf("pi-context/continuation").length, 1);
  });

  story("tells the person once, in one quiet line", async (session) => {
    await session.run([RESET, { say: "On with it." }]);
    const [notice, ...others] = await session.notices();
    assert.deepEqual(others, []);
    assert.equal(notice?.level, "info");
    assert.match(notice?.text ?? "", RESET_NOTICE);
    const messages = session.entriesOf("custom_message");
    assert.ok(
      messages.every(({ display }) => display === false),
      "its own messages stay out of the conversation",
    );
  });

  story("waits for the other tools of the batch and for the model's last word", async (session) => {
    await session.run([RESET_AND_READ, { say: "I have read it." }, { say: "On with it." }]);

    const [, second = [], third = []] = session.requests;
    assert.deepEqual(
      second.filter(({ role }) => role === "toolResult").map(({ text }) => text),
      ['{"status":"rollover_requested"}', "# Widget\n"],
    );
    assert.doesNotMatch(textOf(third), /# Widget|I have read it/);
    assert.equal(session.resets.length, 1);
  });

  story("delivers what the person said meanwhile once, before the reset, and never again", async (session) => {
    const settled = await session.runUntilHeld([{ ...RESET, hold: "the call" }]);
    await session.pi.command("steer", { message: "steered words" });
    await session.pi.command("follow_up", { message: "words for later" });
    await session.type("/go-on");
    await settled();

    const [, steered = [], followed = [], fresh = [], ...others] = session.requests;
    assert.deepEqual(others, []);
    assert.equal(steered.at(-1)?.text, "steered words");
    assert.equal(followed.at(-1)?.text, "words for later");
    assert.equal(session.lastRequest.length, 2);
    assert.doesNotMatch(textOf(fresh), /steered words|words for later/);

    await session.type("And then?");
    assert.doesNotMatch(textOf(session.lastRequest), /steered words|words for later/);
    for (const words of ["steered words", "words for later"])
      assert.equal(session.entries.filter((entry) => JSON.stringify(entry).includes(words)).length, 1, words);
  });

  story("can be called again in the new window, which becomes another one", async (session) => {
    await session.run([RESET, RESET, { say: "On with it." }]);

    const ids = session.resets.map(({ details }) => details.windowId);
    assert.equal(ids.length, 2);
    assert.equal(new Set(ids).size, 2);
    for (const id of ids) assert.match(id, /^pcw:.{8}:[0-9a-f]{8}$/);
    assert.equal(session.requests.length, 3);
    assert.equal(session.lastRequest.length, 2);
    const boot = session.lastRequest[0]?.text ?? "";
    for (const id of [/pcw:.{8}:root/, ...ids.map((id) => new RegExp(id))]) assert.match(boot, id);
    const listed = await session.windows();
    assert.deepEqual(
      listed.map((id) => id.replace(/^pcw:.{8}:root$/, "root")),
      [ids[1], ids[0], "root"],
    );
    assert.equal((await session.notices()).length, 2);
  });

  story("is one reset, however often a batch asks for it", async (session) => {
    await session.run([{ call: [...(RESET.call ?? []), ...(RESET.call ?? [])] }, { say: "On with it." }]);
    assert.equal(session.resets.length, 1);
    assert.equal(session.requests.length, 2);
    const file = JSON.stringify(session.entries);
    assert.match(file, /rollover_requested/);
    assert.match(file, /rollover_already_pending/);
  });

  story("leaves the notes, names them in the boot block, and the history", async (session) => {
    await session.type("Remember the word tamarind.");
    const note: Step = { call: [["notes_write_file", { path: "plan.md", text: "Step one ✓\nStep two" }]] };
    await session.run([note, RESET, { say: "On with it." }]);

    assert.match(session.lastRequest[0]?.text ?? "", /plan\.md.*Step one ✓/s);
    const { text } = await session.call("notes_read_file", { path: "plan.md" });
    assert.match(text, /^\[plan\.md · .* · chars 0-19 of 19 · end\]\nStep one ✓\nStep two$/);
    const { items } = await session.ask<{ items: readonly { window_id: string }[] }>("history_search_contents", {
      query: "tamarind",
      role: "user",
      recent_first: false,
    });
    assert.match(items[0]?.window_id ?? "", /:root$/);
  });
});

function textOf(request: readonly Told[]): string {
  return request
    .filter(({ role }) => role !== "system")
    .map(({ text }) => text)
    .join("\n");
}

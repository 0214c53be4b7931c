import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { FULL, READ, REMINDED, RESET, WARNED } from "../../harness/steps.ts";
import { AT_ONCE, story, storyWith } from "../support/story.ts";

describe("the context budget in the real Pi", { concurrency: AT_ONCE }, () => {
  const warnings = async (session: ScriptedSession) =>
    (await session.notices()).filter(({ level }) => level === "warning");

  const small = { settings: {}, model: "scripted-small" };
  storyWith(small, "is all the model's own in the first turn, also in a small window", async (session) => {
    await session.run([READ, { say: "Done." }]);
    const { remaining_tokens: left } = await session.ask<{ remaining_tokens: number }>("get_context_remaining");
    assert.ok(left > 5_000 && left < 32_000 - 16_384, String(left));
    assert.deepEqual(await session.notices(), []);
    assert.deepEqual(session.entriesOf("pi-context/guidance"), []);
  });

  story("is shown to the model and the person once, when it gets short", async (session) => {
    await session.run([
      { ...READ, used: REMINDED },
      { ...READ, used: REMINDED },
      { say: "Done.", used: REMINDED },
    ]);
    await session.run([
      { ...READ, used: REMINDED },
      { say: "Done.", used: REMINDED },
    ]);
    const [guidance, ...others] = session.entriesOf("pi-context/guidance");
    assert.deepEqual(others, []);
    assert.equal(guidance?.display, false);
    assert.equal(
      session.lastRequest.filter(({ text }) => text === guidance?.content).length,
      1,
      "the model has read it",
    );
    assert.equal((await warnings(session)).length, 1);
    assert.equal((await session.notices()).length, 1);
    assert.deepEqual(session.entriesOf("pi-context/warning"), []);

    await session.run([RESET, { ...READ, used: REMINDED }, { ...READ, used: REMINDED }, { say: "Done." }]);
    assert.equal(session.entriesOf("pi-context/guidance").length, 2, "once more in the new window");
  });

  story("is warned of once when it is nearly gone, also when the model was about to stop", async (session) => {
    await session.run([
      { ...READ, used: WARNED },
      { say: "Stopping.", used: WARNED },
      { say: "Noted.", used: WARNED },
    ]);
    assert.equal(session.requests.length, 3);
    const [warning] = session.entriesOf("pi-context/warning");
    assert.equal(warning?.display, false);
    assert.equal(session.lastRequest.at(-1)?.text, warning?.content);
    assert.match(warning?.content ?? "", /notes_write_file.*new_context/s);
    assert.equal((await warnings(session)).length, 1);

    await session.run([
      { ...READ, used: WARNED },
      { say: "Done.", used: WARNED },
    ]);
    const [, ...others] = session.entriesOf("pi-context/warning");
    assert.deepEqual(others, []);
    assert.equal(session.requests.length, 5);
    assert.equal((await warnings(session)).length, 1);
  });

  story("follows the model that the person chooses", async (session) => {
    const used = 12_500;
    await session.run([READ, { say: "Done.", used }]);
    assert.deepEqual(session.entriesOf("pi-context/guidance"), []);
    await session.pi.command("set_model", { provider: "scripted", modelId: "scripted-small" });
    await session.run([
      { ...READ, used },
      { say: "Done.", used },
    ]);
    assert.equal(session.entriesOf("pi-context/guidance").length, 1);
    assert.deepEqual(session.entriesOf("pi-context/warning"), []);
  });

  story("names the window that a warning is about: Pi can deliver it in the next one", async (session) => {
    await session.run([{ ...READ, used: WARNED }, { ...READ, used: FULL }, { say: "I go on." }]);
    const [reset] = session.resets;
    const [boot, warning] = session.lastRequest;
    assert.match(boot?.text ?? "", new RegExp(reset?.details.windowId ?? "none"));
    assert.match(warning?.text ?? "", /pcw:.{8}:root/);
  });
});

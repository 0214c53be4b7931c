/**
 * Tests that are told in the real Pi: each in a session of its own, which goes with it.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { ScriptedSession, type SessionOptions } from "../../harness/scripted-session.ts";

type Tell = (session: ScriptedSession) => Promise<void>;

/** How many stories a suite tells side by side: most of the time of each is the start of Pi. */
export const AT_ONCE = 2;

/** A test in a session that has just begun. */
export function story(name: string, tell: Tell): void {
  storyWith({}, name, tell);
}

/** As {@link story}, in a session that is set up so. */
export function storyWith(options: SessionOptions, name: string, tell: Tell): void {
  it(name, async () => {
    const session = new ScriptedSession(options);
    try {
      await tell(session);
    } finally {
      await session.close();
    }
    assert.deepEqual(session.troubles, []);
  });
}

/** As {@link story}, after one prompt by which it can be told what the model still knows. */
export function storyOfTamarind(name: string, tell: Tell): void {
  story(name, async (session) => {
    await session.type("Remember the word tamarind.");
    await tell(session);
  });
}

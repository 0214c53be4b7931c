/**
 * A guest that writes down what it is called with. It stands in for a component where only the calls matter.
 */
import type { Guest } from "../../src/host.ts";

/** One call of an export, such as `["completions.timerFired", 1]`. */
export type Call = readonly [name: string, ...args: unknown[]];

/** Answers by export, such as `"tools.call"`. What is not named answers nothing. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

export function recordingGuest(record: (call: Call) => void, answers: Answers = {}): Guest {
  const functionsOf = (interfaceName: string) =>
    new Proxy(
      {},
      {
        get:
          (_target, name) =>
          (...args: never[]): unknown => {
            const call = `${interfaceName}.${String(name)}`;
            record([call, ...args]);
            return answers[call]?.(...args);
          },
      },
    );
  return new Proxy({}, { get: (_target, name) => functionsOf(String(name)) }) as Guest;
}

/**
 * Measures what a person would feel: calls into the component, making an instance, and the first status line.
 *
 *     npm run measure
 */
import { pathToFileURL } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { startPi } from "../harness/first-status.ts";
import { PACKAGE } from "../harness/pi-command.ts";
import { Workspace } from "../harness/workspace.ts";
import { Capsule } from "../src/capsule.ts";
import { type Component, loadComponent } from "../src/component.ts";
import { readPolicy } from "../src/policy.ts";

const COMPONENT = pathToFileURL(`${PACKAGE}/component/`);
const INSTANCES = 20;
const BATCHES = 200;
const CALLS_PER_BATCH = 100;
const SESSIONS = 5;

/** An id that no timer has. */
const UNKNOWN_TIMER = 2 ** 32 - 1;

const policy = await readPolicy(new URL("policy.json", COMPONENT));
const begin = performance.now();
const component = await loadComponent(COMPONENT);
instance(component);
const firstInstance = performance.now() - begin;

report("loading and compiling the component, up to its first instance", [firstInstance], "ms");
report("an export call (a timer that the guest does not know)", measureCalls(component), "µs");
report("making another instance", measureInstances(component), "ms");
report("from session_start to the first status line, in the real Pi", await measureSessions(), "ms");

/** An instance without a session, as while Pi loads the extension. */
function instance(from: Component): Capsule {
  return new Capsule({} as ExtensionAPI, from, policy);
}

function measureCalls(from: Component): readonly number[] {
  const capsule = instance(from);
  return Array.from({ length: BATCHES }, () => {
    const start = performance.now();
    for (let call = 0; call < CALLS_PER_BATCH; call += 1) {
      capsule.describe((guest) => guest.completions.timerFired(UNKNOWN_TIMER));
    }
    return ((performance.now() - start) / CALLS_PER_BATCH) * 1000;
  });
}

function measureInstances(from: Component): readonly number[] {
  const times: number[] = [];
  for (let count = 0; count < INSTANCES; count += 1) {
    const start = performance.now();
    instance(from);
    times.push(performance.now() - start);
  }
  return times;
}

async function measureSessions(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < SESSIONS; count += 1) {
    const workspace = new Workspace();
    try {
      workspace.createRepository();
      const { pi, milliseconds } = await startPi(workspace, workspace.repository, workspace.sessions);
      times.push(milliseconds);
      await pi.stop();
    } finally {
      workspace.remove();
    }
  }
  return times;
}

function report(what: string, times: readonly number[], unit: string): void {
  const sorted = times.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const [fastest, slowest] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  console.log(`${what}:`);
  console.log(
    `    median ${median.toFixed(1)} ${unit} of ${sorted.length} (${fastest.toFixed(1)} to ${slowest.toFixed(1)})`,
  );
}

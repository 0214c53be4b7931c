/**
 * `subprocess`: runs `git` and `gh` for the guest and answers each request once.
 */
import { setImmediate } from "node:timers/promises";
import type * as Subprocess from "../../component/types/interfaces/pi-extension-subprocess.js";
import type { Host } from "../host.ts";
import { processEnvironment, refuseProcess } from "../policy.ts";
import type { RunningProgram } from "../process.ts";
import { tellDenied } from "./failure.ts";

export function subprocess(host: Host): typeof Subprocess {
  const running = new Map<number, RunningProgram>();
  let lastId = 0;

  const answer = (id: number, outcome: Subprocess.Outcome): void =>
    host.deliver("completions.subprocess-finished", (guest) => guest.completions.subprocessFinished(id, outcome));

  /** Starts it, or says why not. */
  const start = ({ program, arguments: args }: Subprocess.Command): RunningProgram | Subprocess.Outcome => {
    const refusal = refuseProcess(host.policy, program, args);
    if (refusal !== undefined) {
      tellDenied(host, "process", refusal);
      return { tag: "denied", val: refusal };
    }
    const { processMilliseconds, outputBytes, concurrentProcesses } = host.policy.limits;
    if (running.size >= concurrentProcesses) {
      return { tag: "unavailable", val: `${concurrentProcesses} requests are running already` };
    }
    const environment = processEnvironment(host.policy, process.env);
    const options = { environment, milliseconds: processMilliseconds, outputBytes };
    return host.machine.run(program, args, options) ?? { tag: "not-found" };
  };

  /** Watches over a running program until it has been answered for. */
  const watch = (id: number, program: RunningProgram): void => {
    running.set(id, program);
    const release = host.own(() => {
      running.delete(id);
      program.cancel();
    });
    const answered = program.ended.then((outcome) => {
      // Not there any more when the session has ended: then nobody waits for an answer.
      if (!running.delete(id)) return;
      release();
      answer(id, outcome);
    });
    host.await(answered);
  };

  /** Answers for what does not run. Later: a guest that asks again each time would otherwise not let Pi go on. */
  const decline = (id: number, outcome: Subprocess.Outcome): void => {
    let isAwaited = true;
    const release = host.own(() => {
      isAwaited = false;
    });
    const answered = setImmediate().then(() => {
      if (!isAwaited) return;
      release();
      answer(id, outcome);
    });
    host.await(answered);
  };

  return {
    start: (command) => {
      host.request();
      host.session(); // Traps a guest that asks without one.
      lastId += 1;
      const started = start(command);
      if ("ended" in started) watch(lastId, started);
      else decline(lastId, started);
      return lastId;
    },

    cancel: (id) => {
      host.session();
      running.get(id)?.cancel();
    },
  };
}

/**
 * The worker: everything that takes time. It holds one session, for as long as the page shows it.
 */
import { expose } from "comlink";
import { errorText } from "../../../pi/src/text.ts";
import { type Answer, Capsule } from "./capsule.ts";
import { type Level, mayReadData } from "./imports.ts";
import { NotASession, Reading } from "./session-file/reading.ts";

export type { Answer, Level };

/** What is known of a session once it has been read. */
export interface Opened {
  readonly id: string;
  readonly name: string | undefined;
  readonly cwd: string;
  /** In milliseconds. */
  readonly createdAt: number | undefined;
  /** What of the file was left out, for people. */
  readonly leftOut: string | undefined;
}

/** Why a file is not shown: what is wrong, as the rest of a sentence that begins with its name, and what to do. */
export interface Refused {
  readonly problem: string;
  readonly remedy: string;
}

let capsule: Capsule | undefined;

const worker = {
  /** Reads a file and starts the component. `progress` is told how many bytes have been read. */
  async open(
    file: Blob,
    progress: (bytes: number) => void,
    notify: (level: Level, message: string) => void,
  ): Promise<Opened | Refused> {
    try {
      const { session, leftOut } = await read(file, progress);
      capsule = new Capsule(session, notify);
      const { id, name, cwd, createdAt } = session.info;
      const time = createdAt === undefined ? undefined : Number(createdAt);
      return { id, name, cwd, createdAt: time, leftOut: leftOut.sentence };
    } catch (error) {
      return refused(error);
    }
  },

  /** Calls a tool of the component, as a model would. */
  call(tool: string, args: object): Answer {
    return capsule?.call(tool, args) ?? { complaint: "No session is open." };
  },
};

export type SessionWorker = typeof worker;

expose(worker);

/** Steps of progress that are told: more would only keep the page busy. */
const STEPS = 200;

async function read(file: Blob, progress: (bytes: number) => void): Promise<ReturnType<Reading["end"]>> {
  const bytes = new Uint8Array(file.size);
  const reading = new Reading(bytes, mayReadData);
  const stream = file.stream().getReader();
  let filled = 0;
  let told = 0;
  for (;;) {
    const { done, value } = await stream.read();
    if (done) return reading.end();
    bytes.set(value, filled);
    filled += value.length;
    reading.take(filled);
    if (filled - told < file.size / STEPS && filled < file.size) continue;
    told = filled;
    progress(filled);
  }
}

function refused(error: unknown): Refused {
  if (error instanceof NotASession) {
    return { problem: error.message, remedy: "Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions." };
  }
  if (error instanceof RangeError) {
    return {
      problem: "it does not fit into the memory of this browser",
      remedy: "pi-capsule on the command line reads files of any size.",
    };
  }
  if (error instanceof DOMException) {
    return {
      problem: `it cannot be read (${error.message})`,
      remedy: "If it is being written, try again when Pi has finished.",
    };
  }
  return {
    problem: `the component could not be started (${errorText(error)})`,
    remedy: "Reload the page; if that does not help, use a current browser.",
  };
}

/**
 * The imports of the world, each from the file that bears its name.
 */
import type { ImportObject } from "../../component/types/extension.js";
import { refuseWhenLate } from "../deadline.ts";
import type { Host } from "../host.ts";
import { agent } from "./agent.ts";
import { clock } from "./clock.ts";
import { random } from "./random.ts";
import { sessionReader } from "./session-reader.ts";
import { sessionWriter } from "./session-writer.ts";
import { settings } from "./settings.ts";
import { status } from "./status.ts";
import { subprocess } from "./subprocess.ts";

/**
 * What the instances of a component import, one after the other. Ids are counted for all of them together, so that an
 * answer for one that is gone means nothing to the next.
 */
export function importsFor(host: Host): ImportObject {
  return inTime({
    "pi:extension/agent@0.1.0": agent(host),
    "pi:extension/clock@0.1.0": clock(host),
    "pi:extension/random@0.1.0": random(host),
    "pi:extension/session-reader@0.1.0": sessionReader(host),
    "pi:extension/session-writer@0.1.0": sessionWriter(host),
    "pi:extension/settings@0.1.0": settings(host),
    "pi:extension/status@0.1.0": status(host),
    "pi:extension/subprocess@0.1.0": subprocess(host),
  });
}

type Import = (...args: unknown[]) => unknown;

/** The same imports, none of which begins when it could be stopped before its end. */
function inTime(imports: ImportObject): ImportObject {
  const guarded = (run: Import): Import => {
    return (...args) => {
      refuseWhenLate();
      return run(...args);
    };
  };
  const interfaces = Object.entries(imports).map(([name, functions]) => [
    name,
    Object.fromEntries(Object.entries(functions as Record<string, Import>).map(([key, run]) => [key, guarded(run)])),
  ]);
  return Object.fromEntries(interfaces);
}

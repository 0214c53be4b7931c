/**
 * `random`: random bits. May be used without a session.
 */
import type * as Random from "../../component/types/interfaces/pi-extension-random.js";
import type { Host } from "../host.ts";

export function random(host: Host): typeof Random {
  return { bits: () => host.machine.randomBits() };
}

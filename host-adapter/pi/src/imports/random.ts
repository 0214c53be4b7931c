/**
 * `random`: random bits. May be used without a session.
 */
import type * as Random from "../../component/types/interfaces/pi-extension-random.js";
import { type Machine, THIS_MACHINE } from "../machine.ts";

export function random(machine: Machine = THIS_MACHINE): typeof Random {
  return { bits: () => machine.randomBits() };
}

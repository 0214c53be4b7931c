/**
 * How an import answers with the error of its `result`.
 */
import type { Host } from "../host.ts";
import { plainLine } from "../text.ts";

/** Carries the error case to the guest: the generated bindings look for `payload` in what an import throws. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
  readonly payload: { readonly tag: string; readonly val: string };

  constructor(payload: ImportFailure["payload"]) {
    super(`${payload.tag}: ${payload.val}`);
    this.payload = payload;
  }
}

/** Answers `denied` if there is a refusal, and tells the person once for each kind of request. */
export function deny(host: Host, kind: string, refusal: string | undefined): void {
  if (refusal === undefined) return;
  tellDenied(host, kind, refusal);
  throw new ImportFailure({ tag: "denied", val: refusal });
}

export function tellDenied(host: Host, kind: string, refusal: string): void {
  host.tellOnce(denied(kind), "warning", refused(refusal));
}

/** Who tells the person what was refused before there was a session. */
interface Refuser {
  refuse(subject: string, message: string): void;
}

/** Whether something that the guest lists may be registered. If not, the person is told once there is a session. */
export function mayRegister(refuser: Refuser, kind: string, refusal: string | undefined): boolean {
  if (refusal !== undefined) refuser.refuse(denied(kind), refused(refusal));
  return refusal === undefined;
}

function denied(kind: string): string {
  return `denied ${kind}`;
}

function refused(refusal: string): string {
  return `pi-capsule: refused a request of the component: ${plainLine(refusal)}.`;
}

/**
 * This extension, with a component that breaks once: the real one, whose core module has one export replaced.
 *
 * The variable `FAULT` holds the name of the export, such as `lifecycle#turn-ended`, and after a space how it breaks:
 * `trap`, which is the default; `spin`, a call that does not come to an end; or `nonsense`, an answer that cannot be
 * read; `flood`, requests without end. The first two happen in WebAssembly.
 */
import { pathToFileURL } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type InstantiateCore, loadComponent } from "../src/component.ts";
import { registerControl } from "../src/control.ts";
import { extend } from "../src/index.ts";
import { readPolicy } from "../src/policy.ts";
import { PACKAGE } from "./pi-command.ts";

type Export = (...args: unknown[]) => unknown;

/** `(module (func (export "trap") unreachable) (func (export "spin") (loop br 0)))` */
const FAULTS = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 3, 2, 0, 0, 7, 15, 2, 4, 116, 114, 97, 112, 0, 0, 4, 115, 112, 105,
  110, 0, 1, 10, 13, 2, 3, 0, 0, 11, 7, 0, 3, 64, 12, 0, 11, 11,
]);

const COMPONENT = pathToFileURL(`${PACKAGE}/component/`);

export default async function faulty(pi: ExtensionAPI): Promise<void> {
  const [target = "", manner = "trap"] = (process.env.FAULT ?? "").split(" ");
  const breaking = breakingOnce(target.replace("#", "@0.1.0#"), manner);
  await extend(pi, () =>
    Promise.all([loadComponent(COMPONENT, breaking), readPolicy(new URL("policy.json", COMPONENT))]),
  );
  registerControl(pi);
}

function faultOf(manner: string, imports: WebAssembly.Imports): Export {
  if (manner === "nonsense") return () => -1;
  if (manner === "flood") {
    const startTimer = imports["pi:extension/clock@0.1.0"]?.["start-timer"] as Export;
    return () => {
      for (;;) startTimer(0);
    };
  }
  const fault = new WebAssembly.Instance(new WebAssembly.Module(FAULTS)).exports[manner];
  if (fault === undefined) throw new Error(`FAULT: there is no manner ${manner}`);
  return fault as Export;
}

function breakingOnce(target: string, manner: string): InstantiateCore {
  let isBroken = false;
  return (module, imports) => {
    const { exports } = new WebAssembly.Instance(module, imports);
    const name = `pi:extension/${target}`;
    const whole = exports[name] as Export | undefined;
    if (whole === undefined) return { exports };
    const fault = faultOf(manner, imports);
    const breaking: Export = (...args) => {
      if (isBroken) return whole(...args);
      isBroken = true;
      return fault();
    };
    return { exports: { ...exports, [name]: breaking } };
  };
}

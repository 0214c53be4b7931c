/** The component as `scripts/build.ts` has transpiled it. */
declare module "component:built" {
  export const instantiate: typeof import("../../../pi/component/types/extension.js").instantiate;
  /** By the names under which the bindings ask for them. */
  export const coreModules: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

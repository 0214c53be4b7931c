/**
 * The policy itself, and the cases that bind every host: both from the files that the hosts share.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Policy, readPolicy } from "../../src/policy.ts";

const ADAPTERS = resolve(import.meta.dirname, "../../..");

interface ValueCase {
  readonly value: string;
  readonly allowed: boolean;
}

export interface PolicyCases {
  readonly processes: readonly {
    readonly name: string;
    readonly program: string;
    readonly arguments: readonly string[];
    readonly allowed: boolean;
  }[];
  readonly settingsSections: readonly ValueCase[];
  readonly statusKeys: readonly ValueCase[];
  readonly customTypes: readonly ValueCase[];
  readonly tools: readonly ValueCase[];
  readonly commands: readonly ValueCase[];
  readonly environment: readonly {
    readonly name: string;
    readonly inherited: string;
    readonly given: string | null;
  }[];
}

export const policy: Policy = await readPolicy(join(ADAPTERS, "policy.json"));

export const policyCases: PolicyCases = JSON.parse(await readFile(join(ADAPTERS, "policy-cases.json"), "utf8"));

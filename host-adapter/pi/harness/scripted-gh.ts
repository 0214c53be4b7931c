/**
 * A `gh` that a test scripts: a small program that knows what pull requests there are and writes down what it was asked.
 *
 * | asked | what it does |
 * | --- | --- |
 * | `pr create` | the branch of the directory that it runs in gets the pull request that is said to come next |
 * | anything else | prints the pull requests of the branch after `--head`, or fails as it was told to |
 *
 * Everything that it goes by is in files, which it reads anew each time. The real one would ask GitHub.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A pull request, in the form in which `gh` prints it. */
export interface PullRequest {
  readonly number: number;
  readonly isDraft: boolean;
  readonly headRepositoryOwner: { readonly login: string };
  readonly [member: string]: unknown;
}

/** An open pull request from a branch of that owner's copy of `acme/widget`. */
export function pullRequest(number: number, { draft = false, owner = "acme" } = {}): PullRequest {
  return {
    number,
    state: "OPEN",
    isDraft: draft,
    url: `https://github.com/acme/widget/pull/${number}`,
    isCrossRepository: owner !== "acme",
    headRepositoryOwner: { login: owner },
  };
}

export class ScriptedGh {
  readonly #directory: string;

  /** Puts it among the programs, with its files in a directory that need not be there yet. */
  constructor(programs: string, directory: string) {
    this.#directory = directory;
    mkdirSync(directory);
    const quoted = `'${directory.replaceAll("'", "'\\''")}'`;
    writeFileSync(join(programs, "gh"), PROGRAM.replace("DIRECTORY", quoted), { mode: 0o755 });
  }

  /** What it was asked so far: the arguments of each call. */
  get calls(): readonly (readonly string[])[] {
    const file = join(this.#directory, "calls");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => line.split("\t").slice(0, -1));
  }

  /** The branches whose pull requests it was asked for. */
  get branches(): readonly string[] {
    return this.calls.filter(({ 1: order }) => order === "list").map((call) => call[call.indexOf("--head") + 1] ?? "");
  }

  /** From now on these are the pull requests of a branch. */
  answer(branch: string, pullRequests: readonly PullRequest[]): void {
    this.#write(join("branches", branch), JSON.stringify(pullRequests));
  }

  /** `pr create` will make this one. */
  createNext(next: PullRequest): void {
    this.#write("next", JSON.stringify([next]));
  }

  /** From now on it fails, saying this; with nothing to say, it works again. */
  fail(message: string | undefined): void {
    if (message === undefined) rmSync(join(this.#directory, "failure"), { force: true });
    else this.#write("failure", message);
  }

  /** From now on answers take until what this returns is called. */
  hold(): () => void {
    this.#write("hold", "");
    return () => rmSync(join(this.#directory, "hold"));
  }

  /** In one step, as it may be read meanwhile. */
  #write(name: string, content: string): void {
    const file = join(this.#directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  }
}

const PROGRAM = `#!/bin/sh
here=DIRECTORY
printf '%s\\n' "$(printf '%s\\t' "$@")" >>"$here/calls"
if [ "$1 $2" = "pr create" ]; then
  file=$here/branches/$(git symbolic-ref --short HEAD)
  mkdir -p "$(dirname "$file")"
  exec cp "$here/next" "$file"
fi
while [ -e "$here/hold" ]; do sleep 0.02; done
if [ -e "$here/failure" ]; then cat "$here/failure" >&2; exit 1; fi
while [ $# -gt 0 ] && [ "$1" != --head ]; do shift; done
cat "$here/branches/$2" 2>/dev/null || echo '[]'
`;

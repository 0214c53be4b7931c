/**
 * Measures the footer in this process and prints the measurement as JSON. `bench/main.ts` starts it, with an environment
 * in which `git` and `gh` reach nothing of the person's.
 *
 *     node bench/footer/subject.ts REPOSITORY SECOND-WORKTREE
 */
import { measureFooter } from "./measure.ts";

const [repository = "", second = ""] = process.argv.slice(2);
console.log(JSON.stringify(await measureFooter({ repository, second })));

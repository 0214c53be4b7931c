/**
 * Starts the real Pi with this extension, where you stand.
 *
 *     npm run pi [-- --scripted] [arguments of Pi]
 *
 * `--scripted` answers with the scripted model, which needs no account: try `Read README.md`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../harness/pi-command.ts";
import { INVOKED_FROM } from "./invocation.ts";

const given = process.argv.slice(2);
const scripted = given.includes("--scripted") ? WITH_SCRIPTED_MODEL : [];
const args = [...scripted, ...WITH_EXTENSION, ...given.filter((argument) => argument !== "--scripted")];

const pi = spawn(process.execPath, [PI_CLI, ...args], { cwd: INVOKED_FROM, stdio: "inherit" });
// Ctrl+C is for Pi to take; it reaches this process too.
process.on("SIGINT", () => {});
const [code] = await once(pi, "close");
process.exitCode = typeof code === "number" ? code : 1;

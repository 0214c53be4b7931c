/**
 * The beginning of a session in the real Pi, up to the first status line of this extension.
 */
import { ALONE, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "./pi-command.ts";
import { RpcPi } from "./rpc.ts";
import { BEGIN_KEY } from "./scripted-model.ts";
import type { Workspace } from "./workspace.ts";

/** The status line of the component. */
export const FOOTER_KEY = "pr-footer";

export interface Beginning {
  readonly pi: RpcPi;
  readonly status: string;
  /** From the session's first event, as another extension sees it, until the line has arrived here. */
  readonly milliseconds: number;
}

/** Starts Pi with the scripted model in `cwd` and waits for the first status line. */
export async function startPi(workspace: Workspace, cwd: string, sessions: string): Promise<Beginning> {
  const pi = new RpcPi({
    cwd,
    environment: workspace.environment(),
    args: [...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--session-dir", sessions],
  });
  try {
    const begin = await pi.status(BEGIN_KEY, (text) => text !== undefined);
    const { statusText = "" } = await pi.status(FOOTER_KEY, (text) => text !== undefined);
    const now = performance.timeOrigin + performance.now();
    return { pi, status: statusText, milliseconds: now - Number(begin.statusText) };
  } catch (error) {
    await pi.stop();
    throw error;
  }
}

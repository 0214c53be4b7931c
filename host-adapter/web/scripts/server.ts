/**
 * Serves the built page, as any server of files would.
 */
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** The built page. */
export const PAGE = join(import.meta.dirname, "../dist/index.html");

/** Serves it to this machine, at a free port if none is named. */
export async function servePage(port = 0): Promise<{ readonly address: string; readonly server: Server }> {
  const page = await readFile(PAGE);
  const server = createServer(({ url }, response) => {
    const isThere = url === "/";
    response.writeHead(isThere ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(isThere ? page : "There is one page here: /");
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

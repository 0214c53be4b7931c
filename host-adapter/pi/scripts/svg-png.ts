/**
 * An SVG as a PNG of twice its size, as Chromium draws it: galleries show no SVG.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const SCALE = 2;

/** In a sandbox of its own there is nothing that a browser had to be kept from; in a container it has none. */
const ALONE = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

export async function svgToPng(svg: string, png: string): Promise<void> {
  const [, width = "0", height = "0"] = /<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const directory = await mkdtemp(join(tmpdir(), "pi-capsule-png-"));
  try {
    await writeFile(join(directory, "page.html"), `<!doctype html><style>body { margin: 0 }</style>${svg}`);
    const size = [width, height].map((length) => Math.round(Number(length)));
    await promisify(execFile)("chromium", [
      ...ALONE,
      "--hide-scrollbars",
      "--default-background-color=00000000",
      `--force-device-scale-factor=${SCALE}`,
      `--window-size=${size.join(",")}`,
      `--user-data-dir=${join(directory, "profile")}`,
      `--screenshot=${join(directory, "page.png")}`,
      `file://${join(directory, "page.html")}`,
    ]);
    await copyFile(join(directory, "page.png"), png);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

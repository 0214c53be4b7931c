/**
 * A real Chromium without a window, for the tests and the pictures. Its profile is new, and goes with it.
 */
import { type Browser, chromium } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

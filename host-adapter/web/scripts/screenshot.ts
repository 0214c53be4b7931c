/**
 * Takes the pictures of the documentation that need a browser: the built page with its example, light and dark, and the preview
 * of the Pi package, which is one of its drawings, since galleries show no SVG.
 *
 *     npm run screenshot [-- DIRECTORY]
 *
 * With the fonts of this machine, which should have signs for Japanese and for emoji.
 */
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { givenPath, INVOKED_FROM } from "../../pi/scripts/invocation.ts";
import { launchChromium } from "./chromium.ts";
import { PAGE } from "./server.ts";

const PICTURES = { "web.png": "light", "web-dark.png": "dark" } as const;

/** Where the example shows most: its first window, with a result unfolded. */
const HASH = "#pcw:0193a1b2:root/e0000007";

const DRAWING = resolve(import.meta.dirname, "../../../docs/reset.svg");
const PREVIEW = resolve(import.meta.dirname, "../../pi/preview.png");

const [given] = process.argv.slice(2);
const directory = given === undefined ? resolve(import.meta.dirname, "../../../docs") : givenPath(given);

const browser = await launchChromium();
try {
  for (const [name, colorScheme] of Object.entries(PICTURES)) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1120, height: 700 } });
    await page.goto(`${pathToFileURL(PAGE).href}${HASH}`);
    await page.getByRole("button", { name: "Open the example" }).click();
    await page.locator("article:focus .code").waitFor();
    await page.getByRole("feed").evaluate((feed) => feed.scrollTo(0, 0));
    await page.mouse.move(0, 0);
    await page.waitForTimeout(300);
    const file = join(directory, name);
    await page.screenshot({ path: file });
    console.log(`took ${relative(INVOKED_FROM, file)}`);
    await page.close();
  }
  const page = await browser.newPage({ deviceScaleFactor: 2 });
  await page.goto(pathToFileURL(DRAWING).href);
  await page.locator("svg").screenshot({ path: PREVIEW, omitBackground: true });
  console.log(`took ${relative(INVOKED_FROM, PREVIEW)}`);
} finally {
  await browser.close();
}

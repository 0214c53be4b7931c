/**
 * Builds `dist/index.html`: the whole page in one file, with the component, that needs nothing beside it.
 *
 *     npm run build [-- path/to/component.wasm]
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type Plugin } from "esbuild";
import { transpiled } from "../../pi/scripts/component-package.ts";
import { givenPath, INVOKED_FROM } from "../../pi/scripts/invocation.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const PROJECT = resolve(PACKAGE, "../..");
const OUTPUT = join(PACKAGE, "dist/index.html");

/** What the built page's `<meta>` lets it do: run what is in it, and connect to nothing. */
function contentSecurityPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hash(script)}' 'wasm-unsafe-eval'`,
    `style-src '${hash(style)}'`,
    "worker-src blob:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function hash(source: string): string {
  return `sha256-${createHash("sha256").update(source).digest("base64")}`;
}

/** Bundles to one script or style sheet, as text. `virtual` are modules that are no files, by name. */
async function bundle(entry: string, virtual: Readonly<Record<string, Virtual>> = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(PACKAGE, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: ["chrome123", "firefox128", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { react: "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" },
    loader: { ".jsonl": "text" },
    legalComments: "none",
    logLevel: "error",
    plugins: [unusedNodeModules, virtualModules(virtual)],
  });
  const source = outputFiles[0]?.text ?? "";
  // The page is written around it.
  return source.replaceAll("</script", "<\\/script").trim();
}

/** A module without a file: its source, and how it is read. */
interface Virtual {
  readonly contents: string | Uint8Array;
  readonly loader: "js" | "text" | "binary";
}

function virtualModules(modules: Readonly<Record<string, Virtual>>): Plugin {
  return {
    name: "virtual modules",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ path }) => (Object.hasOwn(modules, path) ? { path, namespace: "virtual" } : null));
      onLoad({ filter: /./, namespace: "virtual" }, ({ path }) => modules[path] as Virtual);
    },
  };
}

/**
 * Files of the Pi adapter may import modules of Node for functions that are not used here. What is used would be left in the
 * bundle, and no browser could run it.
 */
const unusedNodeModules: Plugin = {
  name: "unused modules of Node",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** The bindings and the core modules of the component, as the module `component:built`. */
async function componentModules(component: Uint8Array, file: string): Promise<Record<string, Virtual>> {
  const { files } = await transpiled(component, file);
  const modules: Record<string, Virtual> = {};
  const core: string[] = [];
  for (const [name, contents] of files) {
    modules[`component:${name}`] = { contents, loader: name.endsWith(".wasm") ? "binary" : "js" };
    if (name.endsWith(".wasm")) core.push(name);
  }
  const imports = core.map((name, index) => `import core${index} from ${JSON.stringify(`component:${name}`)};`);
  const entries = core.map((name, index) => `${JSON.stringify(name)}: core${index}`);
  const contents = `${imports.join("\n")}
export const coreModules = { ${entries.join(", ")} };
export { instantiate } from "component:extension.js";`;
  return { ...modules, "component:built": { contents, loader: "js" } };
}

const { positionals } = parseArgs({ allowPositionals: true });
const source = givenPath(positionals[0] ?? join(PROJECT, "target/component/pi_capsule.wasm"));
const worker = await bundle("src/worker/main.ts", await componentModules(await readFile(source), basename(source)));
const script = await bundle("src/page/main.tsx", { "worker:built": { contents: worker, loader: "text" } });
const style = await bundle("src/page/style.css");
const template = await readFile(join(PACKAGE, "src/page/index.html"), "utf8");
const parts: Readonly<Record<string, string>> = {
  policy: contentSecurityPolicy(script, style),
  style: `<style>${style}</style>`,
  script: `<script type="module">${script}</script>`,
};
const page = template.replace(/<!-- (\w+) -->|%(\w+)%/g, (place, a, b) => parts[a ?? b] ?? place);
await mkdir(join(PACKAGE, "dist"), { recursive: true });
await writeFile(OUTPUT, page);
console.log(`built ${relative(INVOKED_FROM, OUTPUT)} from ${basename(source)} (${Math.round(page.length / 1024)} KiB)`);

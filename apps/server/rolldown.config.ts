import path from "node:path";
import { defineConfig } from "rolldown";
import { dataFiles } from "./data-files.ts";
import { noticesFile } from "../../scripts/third-party-notices.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

const packages = path.join(import.meta.dirname, "../../packages");
const searchDist = path.join(packages, "packs/search/dist");
const scriptEngine = path.join(packages, "workflows/node_modules/quickjs-wasi");
const meaningDist = path.join(packages, "meaning/dist");

/** What every command loads, with all that it imports statically. `main.ts` is not part of it, because it waits for other chunks while it is loaded. */
const baseModules = /command-line[\\/]src[\\/]run-program\.ts$|server[\\/]src[\\/]command-line[\\/]commands\.ts$/;

/** What reads the settings, with all that it imports. */
const settingsModules = /server[\\/]src[\\/]config[\\/]read-settings\.ts$/;

/** What every start of `serve` on stdio loads besides, to the answer of `tools/list`. */
const startModules =
  /server[\\/]src[\\/]commands[\\/]serve\.ts$|host[\\/]src[\\/]run-stdio-host\.ts$|surface[\\/]src[\\/]tool-search\.ts$|relay[\\/]src[\\/]relay-read\.ts$|workflows[\\/]src[\\/]tools\.ts$/;

/** The SDK's entry. Its own code serves HTTP; the classes that it exports are in other modules. */
const sdkEntry = /@modelcontextprotocol\/server[\\/]dist[\\/]index\.mjs$/;

/**
 * The command and everything it needs, with nothing to resolve at run time but ripgrep, which is a binary for each platform: it cannot be bundled, and is
 * found beside the command when it is first needed. Code that one command or host alone needs is in a chunk of its own.
 */
export default defineConfig({
  // The search pack starts its parser, and the relay its queries, as processes of their own, from files beside the one that starts them. Scripts run in a
  // thread.
  input: {
    cli: "src/cli.ts",
    "parser-child": "src/parser-child.ts",
    "query-child": "src/query-child.ts",
    "sandbox-worker": "src/sandbox-worker.ts",
  },
  platform: "node",
  // The CommonJS form of a package may load its files in ways that cannot be bundled.
  resolve: { mainFields: ["module", "main"], conditionNames: ["@toolpacks/source", "node", "default"] },
  // Its package does not say so. A start on stdio would load it for nothing.
  treeshake: { moduleSideEffects: [{ test: sdkEntry, sideEffects: false }] },
  plugins: [
    thirdPartyNotices([path.join(searchDist, noticesFile), path.join(meaningDist, noticesFile)]),
    dataFiles([searchDist, meaningDist, scriptEngine]),
  ],
  external: [/^@vscode\/ripgrep$/],
  output: {
    dir: "dist",
    format: "esm",
    minify: true,
    cleanDir: true,
    entryFileNames: "[name].js",
    // A start takes time for each file that it loads. A chunk includes the static imports of its modules.
    codeSplitting: {
      groups: [
        { name: "sdk-http", test: sdkEntry, priority: 3, includeDependenciesRecursively: false },
        { name: "base", test: baseModules, priority: 2 },
        { name: "settings", test: settingsModules, priority: 1.5 },
        { name: "start", test: startModules, priority: 1 },
      ],
    },
  },
});

import { defineConfig } from "rolldown";

/**
 * Modules that every start of `serve` on stdio loads. They and their static imports are one chunk, because a start takes time for each file that it
 * loads. `main.ts` is not one of them: it awaits them at its top level.
 */
const startModules = [
  "apps/server/src/commands/serve.ts",
  "apps/server/src/hosts/sdk-2.ts",
  "apps/server/src/mount/workflow-library.ts",
  "apps/server/src/stores/sqlite.ts",
  "packages/core/dist/store/index.js",
  "packages/packs/filesystem/dist/index.js",
  "packages/packs/issues/dist/index.js",
  "packages/packs/memory/dist/index.js",
  "packages/packs/planner/dist/index.js",
  "packages/packs/search/dist/index.js",
  "packages/workflows/dist/index.js",
];

/**
 * The command and everything it needs, with nothing to resolve at run time but the packages that bring a binary for each platform: they cannot be
 * bundled, and are found beside the command when they are first needed. Code that one command or host alone needs is in a chunk of its own.
 */
export default defineConfig({
  // The search pack starts its parser as a process of its own, from a file beside the one that starts it.
  input: { cli: "src/cli.ts", "parser-child": "src/parser-child.ts" },
  platform: "node",
  // The CommonJS form of a package may load its files in ways that cannot be bundled.
  resolve: { mainFields: ["module", "main"] },
  external: [/^@vscode\/ripgrep$/, /^@ast-grep\//],
  output: {
    dir: "dist",
    format: "esm",
    minify: true,
    cleanDir: true,
    entryFileNames: "[name].js",
    codeSplitting: {
      groups: [{ name: "start", test: (id) => startModules.some((one) => id.replaceAll("\\", "/").endsWith(one)) }],
    },
  },
});

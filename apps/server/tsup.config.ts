import { defineConfig } from "tsup";

/**
 * The command and everything it needs, with nothing to resolve at run time but the packages that bring a binary for each
 * platform: they cannot be bundled, and are found beside the command when they are first needed. Code that one command or host alone needs is in a
 * chunk of its own, which `serve` does not load.
 */
export default defineConfig({
  // The search pack starts its parser as a process of its own, from a file beside the one that starts it.
  entry: { cli: "src/cli.ts", "parser-child": "src/parser-child.ts" },
  format: "esm",
  target: "node22",
  platform: "node",
  clean: true,
  minify: true,
  splitting: true,
  // `node:sqlite` has no other name.
  removeNodeProtocol: false,
  noExternal: [/^(?!@vscode\/ripgrep$|@ast-grep\/)/],
  // CommonJS inside the bundle asks for Node's own modules with require.
  banner: {
    js: 'import { createRequire as __require } from "node:module"; const require = __require(import.meta.url);',
  },
});

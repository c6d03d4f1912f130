import { defineConfig } from "tsup";

/** The command and everything that it needs in one folder, so that it resolves no package at run time. */
export default defineConfig({
  entry: { cli: "src/command/cli.ts" },
  outDir: "dist/command",
  format: "esm",
  target: "node22",
  platform: "node",
  clean: true,
  minify: true,
  splitting: true,
  removeNodeProtocol: false,
  noExternal: [/./],
  // CommonJS inside the bundle asks for Node's own modules with require.
  banner: {
    js: 'import { createRequire as __require } from "node:module"; const require = __require(import.meta.url);',
  },
});

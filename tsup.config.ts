import { defineConfig } from "tsup";

/** How every library package is built: tsup emits the JavaScript, `tsc -p tsconfig.build.json` the types. */
export default defineConfig({
  format: "esm",
  target: "node22",
  platform: "node",
  clean: true,
  splitting: true,
  // `node:sqlite` has no other name.
  removeNodeProtocol: false,
});

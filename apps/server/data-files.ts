import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** Copies data files of packages to the bundle: the WebAssembly files of the parsers, and the table of word vectors. */
export function dataFiles(folders: readonly string[]): Plugin {
  return {
    name: "data-files",
    generateBundle() {
      for (const folder of folders)
        for (const fileName of readdirSync(folder).filter((file) => /\.(wasm|table)$/.test(file)))
          this.emitFile({ type: "asset", fileName, source: readFileSync(path.join(folder, fileName)) });
    },
  };
}

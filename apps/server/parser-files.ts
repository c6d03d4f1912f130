import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** Copies the WebAssembly files of the search pack's parsers to the bundle. */
export function parserFiles(searchDist: string): Plugin {
  return {
    name: "parser-files",
    generateBundle() {
      for (const fileName of readdirSync(searchDist).filter((file) => file.endsWith(".wasm")))
        this.emitFile({ type: "asset", fileName, source: readFileSync(path.join(searchDist, fileName)) });
    },
  };
}

import { access, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { SgNode } from "@ast-grep/wasm";
import * as astGrep from "@ast-grep/wasm/wasm_bg.js";
import { Parser, type Tree } from "web-tree-sitter";
import {
  astGrepFile,
  grammars,
  parserFiles,
  treeSitterFile,
  type Grammar,
  type ParserFile,
  type ParserName,
} from "./parser-files.ts";

export type Parsers = Awaited<ReturnType<typeof loadParsers>>;

/**
 * Loads ast-grep and tree-sitter. Call it once per process.
 *
 * @throws if a file of the parsers is missing
 */
export async function loadParsers() {
  await Promise.all(parserFiles.map((file) => access(pathOf(file))));
  const free = trackMemory();
  const [treeSitter, code] = await Promise.all([readFile(pathOf(treeSitterFile)), readFile(pathOf(astGrepFile))]);
  await Parser.init({ wasmBinary: treeSitter });
  const { instance } = await WebAssembly.instantiate(code, { "./wasm_bg.js": { ...astGrep } });
  astGrep.__wbg_set_wasm(instance.exports);
  await astGrep.initializeTreeSitter();
  const loaded = new Set<ParserName>();
  return {
    /** Parses a source and returns its root node. The node is valid until `free` is called. */
    parse: (parser: ParserName, source: string): SgNode => astGrep.parse(parser, source).root(),
    /** Loads a grammar. Must be called before the first `parse` with it. */
    async loadGrammar(parser: ParserName) {
      if (loaded.has(parser)) return;
      const grammar: Grammar = grammars[parser];
      const expandoChar = grammar.dollar ?? "$";
      await astGrep.registerDynamicLanguage({ [parser]: { libraryPath: pathOf(grammar), expandoChar } });
      loaded.add(parser);
    },
    /** Frees the memory of all parsed sources. */
    free,
  };
}

/** The sources find a file in its npm package, the build has it beside its code. */
function pathOf({ from, file }: ParserFile): string {
  const isSource = import.meta.url.endsWith(".ts");
  return isSource
    ? createRequire(import.meta.url).resolve(`${from}/${file}`)
    : fileURLToPath(new URL(`./${file}`, import.meta.url));
}

/** Returns a function that frees what was parsed since its last call. ast-grep does not free its trees. */
function trackMemory(): () => void {
  const opened: Tree[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its parser below
  const { parse } = Parser.prototype;
  Parser.prototype.parse = function parseTracked(...args) {
    const tree = parse.apply(this, args);
    if (tree !== null) opened.push(tree);
    return tree;
  };
  return () => {
    for (const tree of opened.splice(0)) tree.delete();
  };
}

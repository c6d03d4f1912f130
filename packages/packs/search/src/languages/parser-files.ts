/** A WebAssembly file: a grammar, or a part of the parser. The build copies these files into `dist`. */
export interface ParserFile {
  /** The npm package that has the file. */
  readonly from: string;
  readonly file: string;
}

/** A grammar, and the character that stands for `$` in patterns where `$` is no part of a name. */
export interface Grammar extends ParserFile {
  readonly dollar?: string;
}

export const grammars = {
  typescript: { from: "tree-sitter-typescript", file: "tree-sitter-typescript.wasm" },
  tsx: { from: "tree-sitter-typescript", file: "tree-sitter-tsx.wasm" },
  javascript: { from: "tree-sitter-javascript", file: "tree-sitter-javascript.wasm" },
  python: { from: "tree-sitter-python", file: "tree-sitter-python.wasm", dollar: "µ" },
  go: { from: "tree-sitter-go", file: "tree-sitter-go.wasm", dollar: "µ" },
  rust: { from: "tree-sitter-rust", file: "tree-sitter-rust.wasm", dollar: "µ" },
  java: { from: "tree-sitter-java", file: "tree-sitter-java.wasm" },
  c: { from: "tree-sitter-c", file: "tree-sitter-c.wasm", dollar: "_" },
  cpp: { from: "tree-sitter-cpp", file: "tree-sitter-cpp.wasm", dollar: "_" },
} as const satisfies Record<string, Grammar>;

export type ParserName = keyof typeof grammars;

export const astGrepFile = { from: "@ast-grep/wasm", file: "wasm_bg.wasm" } as const satisfies ParserFile;
export const treeSitterFile = { from: "web-tree-sitter", file: "web-tree-sitter.wasm" } as const satisfies ParserFile;

export const parserFiles: readonly ParserFile[] = [astGrepFile, treeSitterFile, ...Object.values(grammars)];

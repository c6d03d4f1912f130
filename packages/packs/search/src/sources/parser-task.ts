/** What to find in one source. Messages between this process and the one that parses, so JSON values only. */
export interface ParserTask {
  /** The parser's name of the language. */
  readonly parser: string;
  readonly source: string;
  /** How many of the finds to return; all are counted. */
  readonly maxFound: number;
  readonly search: CodeSearch | SymbolSearch;
}

export interface CodeSearch {
  readonly kind: "code";
  readonly pattern: string;
}

export interface SymbolSearch {
  readonly kind: "symbols";
  /** A part of the symbol's name, in lower case. */
  readonly name?: string | undefined;
  /** The last of the names that it is a member of, in lower case. */
  readonly owners?: readonly string[] | undefined;
}

export interface CodeMatch {
  readonly line: number;
  readonly endLine: number;
  /** On one line, cut where it is long. */
  readonly text: string;
}

/** The first message says whether the parsers could be loaded. */
export type ParserStart = { readonly kind: "ready" } | { readonly kind: "missing" };

export type ParserReply =
  | {
      readonly kind: "found";
      /** Of a code search `CodeMatch`, of a symbol search `CodeSymbol`. */
      readonly found: readonly unknown[];
      readonly total: number;
      /** The process holds so much memory that it should be replaced. */
      readonly isLarge: boolean;
    }
  /** What is wrong with the pattern. */
  | { readonly kind: "problem"; readonly problem: string };

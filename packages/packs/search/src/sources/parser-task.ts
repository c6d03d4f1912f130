import type { ParserName } from "../languages/parser-files.ts";

/** A search in one source: a message to the parser process, so it has JSON values only. */
export interface ParserTask {
  /** The parser's name of the language. */
  readonly parser: ParserName;
  readonly source: string;
  /** Maximum number of matches to return. All are counted. */
  readonly maxFound: number;
  readonly search: CodeSearch | SymbolSearch | ReferenceSearch | EnclosingSearch;
}

export interface CodeSearch {
  readonly kind: "code";
  readonly pattern: string;
}

export interface SymbolSearch {
  readonly kind: "symbols";
  /** The symbol's name, or a part of it in lower case. */
  readonly name?: string | undefined;
  /** The names of its innermost owners, in lower case. */
  readonly owners?: readonly string[] | undefined;
  /** Whether the name is whole. Then the members of a type with this name are found, too. */
  readonly exact?: boolean | undefined;
}

/** Finds the definitions of a name, and the lines that use it. */
export interface ReferenceSearch {
  readonly kind: "references";
  readonly name: string;
  /** The names of the definitions' innermost owners, in lower case. */
  readonly owners: readonly string[];
}

/** Finds the innermost definition around each of some lines. The result has an `EnclosingSymbol` for each line that has one. */
export interface EnclosingSearch {
  readonly kind: "enclosing";
  readonly lines: readonly number[];
}

export interface EnclosingSymbol {
  readonly line: number;
  /** The name with the names of its owners. */
  readonly name: string;
}

export interface CodeMatch {
  readonly line: number;
  readonly endLine: number;
  /** The match on one line, cut if it is long. */
  readonly text: string;
}

/** The process's first message: whether the parsers are loaded. */
export type ParserStart = { readonly kind: "ready" } | { readonly kind: "missing" };

export type ParserReply =
  | {
      readonly kind: "found";
      /** `CodeMatch` for a code search, `CodeSymbol` for a symbol search, either it or `CodeReference` for references, `EnclosingSymbol` for lines. */
      readonly found: readonly unknown[];
      readonly total: number;
      /** Whether the process needs so much memory that it should be replaced. */
      readonly isLarge: boolean;
    }
  /** The parser's error for the pattern. */
  | { readonly kind: "problem"; readonly problem: string };

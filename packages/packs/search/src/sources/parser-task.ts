import type { ParserName } from "../languages/parser-files.ts";
import type { NameFilter } from "../languages/symbols.ts";

/** A search in one source: a message to the parser process, so it has JSON values only. */
export interface ParserTask {
  readonly parser: ParserName;
  readonly source: string;
  /** Maximum number of matches to return. All are counted. */
  readonly maxFound: number;
  readonly search: CodeSearch | SymbolSearch;
}

type CodeSearch = { readonly kind: "code"; readonly pattern: string };

type SymbolSearch =
  | ({ readonly kind: "symbols" } & NameFilter)
  /** The definitions of a name, and the lines that use it. */
  | ({ readonly kind: "references" } & Required<Pick<NameFilter, "name" | "owners">>)
  /** The innermost definition around each of these lines. */
  | { readonly kind: "enclosing"; readonly lines: readonly number[] };

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

import { selectionArguments } from "../ripgrep/selection.ts";
import type { TextRequest } from "./text-request.ts";

const caseArguments = { smart: "--smart-case", sensitive: "--case-sensitive", insensitive: "--ignore-case" } as const;

/** ripgrep's arguments for the pattern and the files, without the output format. */
export function textArguments(request: TextRequest): readonly string[] {
  const { pattern, literal = false, word = false, multiline = false } = request;
  return [
    ...selectionArguments(request),
    caseArguments[request.case ?? "smart"],
    ...(literal ? ["--fixed-strings"] : []),
    ...(word ? ["--word-regexp"] : []),
    // A multiline search reads a whole file into memory.
    ...(multiline ? ["--multiline", "--max-filesize=64M"] : []),
    // A mapped file counts as memory of the process.
    "--no-mmap",
    "--regex-size-limit=10M",
    "--dfa-size-limit=20M",
    "--color=never",
    // The value is in the same argument, so that no pattern is parsed as an option.
    `--regexp=${pattern}`,
  ];
}

/** The arguments that must be the same for all pages of a search: those that decide the hits and their order. */
export function searchKeyOf(request: TextRequest): unknown {
  const { limit: _limit, cursor: _cursor, context: _context, before: _before, after: _after, ...searchKey } = request;
  return searchKey;
}

import { selectionArguments } from "../ripgrep/selection.ts";
import type { TextRequest } from "./text-request.ts";

const caseArguments = { smart: "--smart-case", sensitive: "--case-sensitive", insensitive: "--ignore-case" } as const;

/** ripgrep's arguments for what to find and where, without how to show it. */
export function textArguments(request: TextRequest): readonly string[] {
  const { pattern, literal = false, word = false, multiline = false } = request;
  return [
    ...selectionArguments(request),
    caseArguments[request.case ?? "smart"],
    ...(literal ? ["--fixed-strings"] : []),
    ...(word ? ["--word-regexp"] : []),
    // Across lines, a file is held in memory whole.
    ...(multiline ? ["--multiline", "--max-filesize=64M"] : []),
    // A mapped file counts as memory of the process, however large it is.
    "--no-mmap",
    "--regex-size-limit=10M",
    "--dfa-size-limit=20M",
    "--color=never",
    // One argument with its value: whatever the pattern is, it is never read as an option.
    `--regexp=${pattern}`,
  ];
}

/** What must be asked again with a cursor: all that decides which hits come in which order. */
export function askedOf({ limit: _limit, cursor: _cursor, context: _context, ...asked }: TextRequest): unknown {
  return asked;
}

import { detail, listed } from "@toolpacks/core";
import { z } from "zod";
import { selectionArguments } from "../ripgrep/selection.ts";
import { globsDetail, globsField, hiddenField, ignoredField, limitField, nextField, whereField } from "../fields.ts";

export const textRequest = z.object({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe("regex; its groups: lines[].groups.name or [1]")
    .meta(listed({ type: "string", description: "regex" })),
  path: whereField,
  literal: z.boolean().optional().meta(detail("the pattern is text, not a regex")),
  case: z
    .enum(["smart", "sensitive", "insensitive"])
    .optional()
    .meta(detail("default smart: exact where the pattern has a capital")),
  word: z.boolean().optional().meta(detail("whole words only")),
  multiline: z.boolean().optional().meta(detail("a match may span lines; (?s) lets . match line breaks")),
  globs: globsField.meta(globsDetail),
  types: z.array(z.string().min(1).max(200)).max(50).optional().meta(detail("ripgrep's file types: ts, py, go")),
  hidden: hiddenField,
  ignored: ignoredField,
  context: z.int().min(0).max(20).optional().meta(detail("lines before and after each match")),
  before: z.int().min(0).max(20).optional().meta(detail("lines before; default context")),
  after: z.int().min(0).max(20).optional().meta(detail("lines after; default context")),
  mode: z
    .enum(["matches", "files", "count"])
    .optional()
    .meta(detail("lines (default), only the files, or how many in each, most first")),
  limit: limitField,
  cursor: nextField,
});

export type TextRequest = z.output<typeof textRequest>;

/** The number of lines to show before and after each match. */
export function linesAround({ context = 0, before = context, after = context }: TextRequest) {
  return { before, after };
}

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

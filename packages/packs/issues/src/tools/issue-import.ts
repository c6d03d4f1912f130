import { defineTool, detail, ToolError, quoteName } from "@toolpacks/core";
import { pathField } from "@toolpacks/files";
import { z } from "zod";
import { requireRoots, type IssuesContext } from "../context.ts";
import { importIssues } from "../transfer/import-issues.ts";

const maxBytes = 256 * 1024 * 1024;

/** Maximum number of bad lines in a result. Its total counts all of them. */
const maxBadLines = 20;

const input = z.object({
  path: pathField.meta(detail("a JSONL file as beads writes it")),
  strict: z.boolean().optional().meta(detail("nothing, if one line is bad; default: every good line")),
});

const output = z.object({
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  bad: z.object({ items: z.array(z.object({ line: z.int(), problem: z.string() })), total: z.int() }),
});

export function issueImport(context: IssuesContext) {
  return defineTool({
    name: "issue_import",
    description: "Read issues from beads' JSONL.",
    keywords: ["load", "restore", "beads", "migrate"],
    examples: [{ args: { path: "issues.jsonl" } }],
    mutates: true,
    effects: { idempotent: true, records: true },
    input,
    output,
    text: ({ added, updated, unchanged, bad }) =>
      [
        `added ${added}, updated ${updated}, unchanged ${unchanged}, bad lines ${bad.total}`,
        ...bad.items.map(({ line, problem }) => `line ${line}: ${problem}`),
        ...(bad.total > bad.items.length ? [`(${bad.items.length} of ${bad.total} bad lines)`] : []),
      ].join("\n"),
    handler: async ({ path, strict = false }, { signal, progress }) => {
      let lines: readonly string[] = [];
      await requireRoots(context).openFile(path, async (file, { size }, shown) => {
        if (size > maxBytes)
          throw new ToolError("too_large", `${quoteName(shown)}: expected at most ${maxBytes} bytes`);
        lines = (await file.readFile({ encoding: "utf8", signal })).split("\n");
      });
      const { bad, ...counts } = await importIssues(context, lines, { strict, progress, signal });
      return { ...counts, bad: { items: bad.slice(0, maxBadLines), total: bad.length } };
    },
  });
}

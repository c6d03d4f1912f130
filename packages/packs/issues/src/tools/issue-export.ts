import { defineTool, detail, ToolError, quoteName } from "@toolpacks/core";
import { pathField } from "@toolpacks/files";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { requireRoots } from "../require-roots.ts";
import { exportIssues } from "../transfer/export-issues.ts";
import { writeIssueFile } from "../transfer/issue-file.ts";

/** Maximum length of the lines in a result. */
const maxCharacters = 200_000;

const output = z.object({
  issues: z.int(),
  path: z.string().optional(),
  bytes: z.int().optional(),
  jsonl: z.string().optional().describe("the lines, where no path was given"),
});

export function issueExport(context: IssuesContext & { readonly write: boolean }) {
  return defineTool({
    name: "issue_export",
    description: "Write all issues as beads' JSONL.",
    keywords: ["backup", "dump", "beads", "save to file"],
    examples: [{ args: {} }],
    mutates: true,
    effects: { idempotent: true },
    input: z.object({
      path: pathField.optional().meta(detail("a .jsonl file; default: answer the lines")),
      overwrite: z.boolean().optional().meta(detail("replace what exists at path")),
    }),
    output,
    text: ({ issues, path, bytes, jsonl }) =>
      jsonl ?? `wrote ${issues} issues, ${bytes} bytes, to ${path === undefined ? "" : quoteName(path)}`,
    handler: async ({ path, overwrite = false }) => {
      if (path === undefined) return answerLines(exportIssues(context));
      const roots = requireRoots(context);
      if (!context.write)
        throw new ToolError("denied", "path: writing is off", "The user can allow it: start with --write.");
      const { shown, ...written } = await writeIssueFile(roots, { path, overwrite }, exportIssues(context));
      return { ...written, path: shown };
    },
  });
}

async function answerLines(lines: AsyncIterable<string>): Promise<z.input<typeof output>> {
  let [issues, jsonl] = [0, ""];
  for await (const line of lines) {
    issues += 1;
    jsonl += `${line}\n`;
    if (jsonl.length > maxCharacters)
      throw new ToolError("too_large", `more than ${maxCharacters} characters`, "Give a path to write them to.");
  }
  return { issues, jsonl };
}

import { defineTool, detail, ToolError, quoteName } from "@toolpacks/core";
import { hasCode, pathField, writeAtomically, type Roots } from "@toolpacks/files";
import { z } from "zod";
import { requireRoots, type IssuesContext } from "../context.ts";
import { exportIssues } from "../transfer/export-issues.ts";

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
    effects: {
      idempotent: true,
      files: ({ path }) => (path === undefined ? [] : [{ path: requireRoots(context).absolute(path) }]),
    },
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
      const { shown, ...written } = await writeFile(roots, { path, overwrite }, exportIssues(context));
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

interface IssueFile {
  readonly path: string;
  /** Whether to replace an existing file. */
  readonly overwrite: boolean;
}

/** Writes a file atomically. A failure leaves the folder unchanged. */
async function writeFile(
  roots: Roots,
  { path, overwrite }: IssueFile,
  lines: AsyncIterable<string>,
): Promise<{ readonly issues: number; readonly bytes: number; readonly shown: string }> {
  // An export cannot overwrite other files.
  if (!path.endsWith(".jsonl")) throw new ToolError("invalid_input", "path: expected the name of a .jsonl file");
  return roots.at(
    path,
    async ({ directory, name, shown, isRoot }) => {
      if (isRoot) throw new ToolError("invalid_input", `${quoteName(shown)}: expected a file, this is a root`);
      let [issues, bytes] = [0, 0];
      async function* counted() {
        for await (const line of lines) {
          issues += 1;
          bytes += Buffer.byteLength(line) + 1;
          yield `${line}\n`;
        }
      }
      await writeAtomically({ directory, name }, counted(), { overwrite }).catch((error: unknown) => {
        if (!hasCode(error, "EEXIST")) throw error;
        throw new ToolError(
          "conflict",
          `${quoteName(shown)}: it exists already`,
          "Pass overwrite: true to replace it.",
        );
      });
      return { issues, bytes, shown };
    },
    { access: "write" },
  );
}

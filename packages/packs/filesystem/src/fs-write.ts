import { clip, defineTool, detail, ToolError, visibleText, quoteName } from "@toolpacks/core";
import { openExisting, pathField, type RootEntry, writeAtomically } from "@toolpacks/files";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { overwriteField, parentsField, parentsHint } from "./place-fields.ts";
import { contentField, contentText } from "./rows.ts";
import { detectFormat, encodeText, type TextFormat } from "./text-file.ts";

const input = z.object({
  path: pathField.meta(detail("file to write; a name with .csv, .json or .jsonl decides the format of rows")),
  content: contentField.describe("text, or rows: in a batch ${steps.s1.items}"),
  columns: z
    .array(z.string().max(200))
    .min(1)
    .max(50)
    .optional()
    .meta(detail("of rows: only these fields, dotted for nested ones; names for lists")),
  template: z.string().min(1).max(2000).optional().describe("line per row, such as - {path}: {text}"),
  overwrite: overwriteField,
  parents: parentsField,
});

const output = z.object({
  path: z.string(),
  bytes: z.int(),
  created: z.boolean(),
  rows: z.int().optional().describe("number of rows"),
  start: z.string().optional().describe("first lines, of rows"),
});

/** `fs_write`: writes a whole file atomically. */
export function fsWrite({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_write",
    description: "Write a text file, or another call's rows as Markdown table, CSV or template.",
    keywords: ["create file", "save", "store text", "overwrite", "export", "markdown table", "csv", "list of hits"],
    examples: [
      {
        say: "the hits of a search_text with id s1 in the same batch, as a list; without template a table",
        args: { path: "todo.md", content: "${steps.s1.items}", template: "- {path}:{line} {text}" },
      },
      { say: "create notes.md", args: { path: "notes.md", content: "# Notes\n" } },
      { say: "a table of rows", args: { path: "team.md", content: [{ name: "Ada", role: "lead" }], overwrite: true } },
    ],
    mutates: true,
    effects: { idempotent: true, files: ({ path }) => [{ path: roots.absolute(path) }] },
    input,
    output,
    text: ({ path: shown, bytes, created, rows, start }) => {
      const size = `${bytes} bytes${rows === undefined ? "" : `, ${rows} ${rows === 1 ? "row" : "rows"}`}`;
      const done = `${created ? "created" : "replaced"} ${quoteName(shown)}, ${size}`;
      return start === undefined ? done : `${done}, all written; it begins:\n${start}`;
    },
    handler: async (request, { signal }) => {
      const { columns, template } = request;
      const text = contentText(request.content, { path: request.path, columns, template });
      if (request.parents === true) await roots.makeDirectories(request.path, { signal, parentsOnly: true });
      const written = roots.at(request.path, (place) => write(place, { ...request, text }, signal), {
        access: "write",
      });
      return await written.catch((error: unknown) => {
        if (!ToolError.is(error) || error.code !== "not_found") throw error;
        throw new ToolError(error.code, error.message, parentsHint);
      });
    },
  });
}

async function write(
  place: RootEntry,
  { content, text, overwrite = false }: z.output<typeof input> & { readonly text: string },
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  if (place.isRoot) throw new ToolError("invalid_input", `${quoteName(place.shown)}: expected a file, this is a root`);
  const existing = await inspect(place);
  const bytes = encodeText(text, existing?.format ?? { encoding: "utf-8", bom: false });
  const rows = typeof content === "string" ? undefined : content.length;
  const start = rows === undefined || text === "" ? undefined : startOf(text);
  const answer = { path: place.shown, bytes: bytes.length, created: existing === undefined, rows, start };
  if (existing !== undefined && !overwrite) {
    // A call that is repeated after its process was killed finds what it has written.
    if (existing.size === bytes.length && (await hasContent(place, bytes))) return answer;
    throw new ToolError(
      "conflict",
      `${quoteName(place.shown)}: it exists already`,
      "Pass overwrite: true to replace it, or change a part with fs_edit.",
    );
  }
  await writeAtomically(place, bytes, { overwrite, signal, mode: existing?.mode });
  return answer;
}

async function hasContent(place: RootEntry, bytes: Uint8Array): Promise<boolean> {
  const file = await openExisting(place);
  try {
    return file !== undefined && (await file.readFile()).equals(bytes);
  } finally {
    await file?.close();
  }
}

const maxStartLines = 4;
const maxStartLineLength = 120;

/** The first lines of a text that the caller has not written itself, so that it need not read them. */
function startOf(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, maxStartLines).map((line) => visibleText(clip(line, maxStartLineLength).toWellFormed()));
  return [...shown, ...(lines.length > shown.length ? [`… (${lines.length} lines)`] : [])].join("\n");
}

interface ExistingFile {
  readonly mode: number;
  readonly size: number;
  readonly format: TextFormat;
}

/** Reads the mode and encoding of an existing file, which its replacement keeps. */
async function inspect(place: RootEntry): Promise<ExistingFile | undefined> {
  const file = await openExisting(place);
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat();
    const start = Buffer.alloc(4);
    await file.read(start, 0, 4, 0);
    return { mode: mode & 0o7777, size, format: detectFormat(start) };
  } finally {
    await file.close();
  }
}

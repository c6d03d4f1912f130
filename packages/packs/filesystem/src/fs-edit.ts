import { readFile } from "node:fs/promises";
import { defineTool, detail, ToolError, quoteName } from "@toolpacks/core";
import { openExisting, pathField, type RootEntry, writeAtomically } from "@toolpacks/files";
import { z } from "zod";
import { applyEdits, editSchema } from "./apply-edits.ts";
import type { FilesystemContext } from "./context.ts";
import { inTurn } from "./in-turn.ts";
import type { LineChange } from "./line-changes.ts";
import { decodeText, encodeText, maxEditedBytes, notText, type TextFile } from "./text-file.ts";

const input = z.object({
  path: pathField.meta(detail("file to edit")),
  edits: z.array(editSchema).min(1).max(200).describe("in order, all or none"),
  dryRun: z.boolean().optional().meta(detail("only show the diff")),
});

const output = z.object({
  path: z.string(),
  added: z.int().describe("lines"),
  removed: z.int().describe("lines"),
  dryRun: z.boolean().optional().describe("nothing was written"),
  diff: z.string().describe("unified; of a dry run whole, otherwise short"),
});

/** `fs_edit`: changes parts of a text file, all or nothing. */
export function fsEdit({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_edit",
    description: "Change parts of a text file.",
    keywords: ["replace text", "insert line", "delete lines", "append", "modify", "patch"],
    examples: [{ say: "rename a variable once", args: { path: "a.ts", edits: [{ old: "let x", new: "let y" }] } }],
    mutates: true,
    input,
    output,
    text: ({ path, added, removed, diff, dryRun }) =>
      dryRun === true ? diff : `edited ${quoteName(path)}: +${added} -${removed} lines\n${diff}`.trimEnd(),
    handler: ({ path, ...change }, { signal }) =>
      roots.at(path, (place) => inTurn(identityOf(place), () => editFile(place, change, signal)), { access: "write" }),
  });
}

function identityOf({ root, shown }: RootEntry): string {
  return `${root.path}\0${shown}`;
}

async function editFile(
  place: RootEntry,
  { edits, dryRun = false }: Omit<z.output<typeof input>, "path">,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const existing = await readWhole(place);
  const lineEnd = lineEndOf(existing.text);
  const { original, edited } = await applyEdits(existing.text, edits, { lineEnd, name: place.name, signal });
  const { lineChanges } = await import("./line-changes.ts");
  const changes = lineChanges(original, edited);
  const counts = { added: count(changes, "added"), removed: count(changes, "removed") };
  const { briefHunks, unifiedDiff } = await import("./unified-diff.ts");
  if (dryRun) return { path: place.shown, ...counts, dryRun, diff: unifiedDiff(place.shown, original, changes) };
  const { directory, name } = place;
  const confirm = () => rejectChanged(place, existing);
  const bytes = encodeText(lineEnd === "\r\n" ? edited.replaceAll("\n", "\r\n") : edited, existing);
  await writeAtomically({ directory, name }, bytes, { mode: existing.mode, signal, confirm });
  return { path: place.shown, ...counts, diff: briefHunks(original, changes) };
}

interface ExistingText extends TextFile {
  readonly mode: number;
  /** A value that changes with every write or replacement of the file. */
  readonly version: string;
}

async function readWhole(place: RootEntry): Promise<ExistingText> {
  const file = await openExisting(place);
  if (file === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" });
  try {
    const stats = await file.stat({ bigint: true });
    if (stats.size > maxEditedBytes) {
      throw new ToolError(
        "too_large",
        `${quoteName(place.shown)}: ${stats.size} bytes; files up to ${maxEditedBytes} bytes can be edited`,
      );
    }
    const bytes = await readFile(file);
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw await notText(place.shown, bytes);
    return { ...decoded, mode: Number(stats.mode & 0o7777n), version: `${stats.ino}:${stats.size}:${stats.mtimeNs}` };
  } finally {
    await file.close();
  }
}

async function rejectChanged(place: RootEntry, { version }: ExistingText): Promise<void> {
  const file = await openExisting(place);
  const stats = await file?.stat({ bigint: true });
  await file?.close();
  if (stats !== undefined && `${stats.ino}:${stats.size}:${stats.mtimeNs}` === version) return;
  throw new ToolError(
    "conflict",
    `${quoteName(place.shown)}: it was changed meanwhile`,
    "Nothing was written. Read it again.",
  );
}

/** CRLF if every line ends in CRLF. In a file with mixed line ends, edits must match the text exactly. */
function lineEndOf(text: string): "\n" | "\r\n" {
  return text.includes("\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n";
}

function count(changes: readonly LineChange[], kind: "added" | "removed"): number {
  return changes.reduce((sum, change) => sum + change[kind].length, 0);
}

import { defineTool, detail, quoteName } from "@toolpacks/core";
import { pathField, readEntry, type RootEntry, writeEntry } from "@toolpacks/files";
import { z } from "zod";
import { applyEdits, editSchema } from "./apply-edits.ts";
import type { FilesystemContext } from "./context.ts";
import { decodeText, encodeText, maxEditedBytes, notText } from "./text-file.ts";

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
    effects: { files: ({ path, dryRun }) => (dryRun === true ? [] : [{ path: roots.absolute(path) }]) },
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
  const existing = await readEntry(place, maxEditedBytes);
  if (existing === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" });
  const file = decodeText(existing.bytes);
  if (file === undefined) throw await notText(place.shown, existing.bytes);
  const lineEnd = lineEndOf(file.text);
  const { original, edited } = await applyEdits(file.text, edits, { lineEnd, name: place.name, signal });
  const { briefHunks, unifiedDiff } = await import("@toolpacks/files/unified-diff");
  if (dryRun) return { path: place.shown, dryRun, ...unifiedDiff(place.shown, original, edited) };
  const bytes = encodeText(lineEnd === "\r\n" ? edited.replaceAll("\n", "\r\n") : edited, file);
  await writeEntry(place, bytes, { existing, signal });
  return { path: place.shown, ...briefHunks(original, edited) };
}

/** CRLF if every line ends in CRLF. In a file with mixed line ends, edits must match the text exactly. */
function lineEndOf(text: string): "\n" | "\r\n" {
  return text.includes("\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n";
}

/** The last change of each file that is being changed. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Runs a change of a file after the changes of the same file that began before it in this process, so that none is lost between reading and
 * writing.
 *
 * @param file a text that identifies the file
 */
async function inTurn<Result>(file: string, change: () => Promise<Result>): Promise<Result> {
  const mine = (turns.get(file) ?? Promise.resolve()).then(change);
  const settled = mine.catch(() => {});
  turns.set(file, settled);
  try {
    return await mine;
  } finally {
    if (turns.get(file) === settled) turns.delete(file);
  }
}

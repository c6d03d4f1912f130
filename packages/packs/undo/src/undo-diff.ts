import { readFileSync } from "node:fs";
import { openFound } from "@toolpacks/files";
import { unifiedDiff } from "@toolpacks/files/unified-diff";
import { readContent } from "./contents.ts";
import type { KeptEntry } from "./entry.ts";
import type { Leaf } from "./leaf.ts";
import type { OpenUndo } from "./open-undo.ts";
import type { PlannedFiles } from "./planned-files.ts";
import type { RecordStep } from "./undo-records.ts";

interface PlannedUndo {
  /** What would be taken back. */
  readonly open: readonly KeptEntry[];
  readonly records: readonly RecordStep[];
  readonly files: PlannedFiles;
}

const maxCharacters = 100_000;
/** Larger files are named only. */
const maxFileBytes = 1_000_000;

/** What an undo would do, as unified diffs of files and of records. */
export async function undoDiff({ open, records, files }: PlannedUndo, { log, show }: OpenUndo): Promise<string> {
  const jsonOf = (record: object | undefined) => (record === undefined ? "" : `${JSON.stringify(record, null, 1)}\n`);
  const isLarge = (leaf: Leaf | null) => leaf?.type === "file" && leaf.size > maxFileBytes;
  const parts = [
    ...open.flatMap(({ inverse }) => (inverse ? [`${inverse.tool} ${JSON.stringify(inverse.args)}`] : [])),
    ...records.map(({ name, now, later }) => unifiedDiff(name, jsonOf(now), jsonOf(later)).diff),
    ...files.moves().map(({ from, to }) => `${show(from)}: moved to ${show(to)}`),
  ];
  for (const { path, now, later } of files.changes()) {
    const isText = now?.type === "file" && !isLarge(now);
    const before = (isText && openFound(path, (file) => readFileSync(file, "utf8"))) || "";
    const content = later?.type === "file" && !isLarge(later) ? await readContent(log.local, later.content) : undefined;
    const after = content?.toString("utf8") ?? "";
    if (now?.type !== later?.type)
      parts.push(`${show(path)}: ${now?.type ?? "nothing"}, then ${later?.type ?? "nothing"}`);
    if (isLarge(now) || isLarge(later)) parts.push(`${show(path)}: a large file changes`);
    else if (before.includes("\0") || after.includes("\0")) parts.push(`${show(path)}: a binary file changes`);
    else if (before !== after) parts.push(unifiedDiff(show(path), before, after).diff);
  }
  const diff = parts.join("\n");
  return diff.length > maxCharacters ? `${diff.slice(0, maxCharacters)}\n(the diff is longer)` : diff;
}

import { readFileSync } from "node:fs";
import { openFound } from "@toolpacks/files";
import { unifiedDiff } from "@toolpacks/files/unified-diff";
import { readContent } from "./contents.ts";
import type { KeptEntry } from "./entry.ts";
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
  const parts = [
    ...open.flatMap(({ inverse }) => (inverse ? [`${inverse.tool} ${JSON.stringify(inverse.args)}`] : [])),
    ...records.map(({ name, now, later }) => unifiedDiff(name, jsonOf(now), jsonOf(later)).diff),
    ...files.moves().map(({ from, to }) => `${show(from)}: moved to ${show(to)}`),
  ];
  for (const { path, now, later } of files.changes()) {
    const name = show(path);
    if (now?.type !== later?.type) parts.push(`${name}: ${now?.type ?? "nothing"}, then ${later?.type ?? "nothing"}`);
    if ([now, later].some((leaf) => leaf?.type === "file" && leaf.size > maxFileBytes)) {
      parts.push(`${name}: a large file changes`);
      continue;
    }
    const before = (now?.type === "file" && openFound(path, (file) => readFileSync(file, "utf8"))) || "";
    const after = later?.type === "file" ? String((await readContent(log.local, later.content)) ?? "") : "";
    if ((before + after).includes("\0")) parts.push(`${name}: a binary file changes`);
    else if (before !== after) parts.push(unifiedDiff(name, before, after).diff);
  }
  const diff = parts.join("\n");
  return diff.length > maxCharacters ? `${diff.slice(0, maxCharacters)}\n(the diff is longer)` : diff;
}

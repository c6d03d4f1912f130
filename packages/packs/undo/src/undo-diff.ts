import { readFileSync } from "node:fs";
import type { Store } from "@toolpacks/core";
import { openFound } from "@toolpacks/files";
import { unifiedDiff } from "@toolpacks/files/unified-diff";
import type { KeptEntry } from "./entry.ts";
import { readContent } from "./contents.ts";
import { readLeaf } from "./leaf.ts";
import type { Planned } from "./undo-files.ts";
import type { RecordStep } from "./undo-records.ts";

interface DiffOptions {
  /** The entries without records. */
  readonly others: readonly KeptEntry[];
  readonly steps: readonly RecordStep[];
  readonly planned: Planned;
  readonly local: Store;
  readonly show: (real: string) => string;
}

const maxCharacters = 100_000;

/** What an undo would do, as unified diffs of files and of records. */
export async function undoDiff({ others, steps, planned, local, show }: DiffOptions): Promise<string> {
  const jsonOf = (record: object | undefined) => (record === undefined ? "" : `${JSON.stringify(record, null, 1)}\n`);
  const parts = [
    ...others.flatMap(({ inverse }) => (inverse ? [`${inverse.tool} ${JSON.stringify(inverse.args)}`] : [])),
    ...steps.map(({ name, now, later }) => unifiedDiff(name, jsonOf(now), jsonOf(later)).diff),
  ];
  const versions = new Set(Array.from(planned.values(), (leaf) => leaf?.type === "file" && leaf.version));
  for (const [path, leaf] of planned) {
    const was = readLeaf(path);
    const isMoved = was?.type === "file" && leaf === null && versions.has(was.version);
    const hasText = was?.type === "file" && !isMoved;
    const before = (hasText && openFound(path, (file) => readFileSync(file, "utf8"))) || "";
    const after = leaf?.type === "file" ? String((await readContent(local, leaf.content)) ?? "") : "";
    if (was?.type !== leaf?.type)
      parts.push(`${show(path)}: ${was?.type ?? "nothing"}, then ${leaf?.type ?? "nothing"}`);
    if (before.includes("\0") || after.includes("\0")) parts.push(`${show(path)}: a binary file changes`);
    else if (before !== after) parts.push(unifiedDiff(show(path), before, after).diff);
  }
  const diff = parts.join("\n");
  return diff.length > maxCharacters ? `${diff.slice(0, maxCharacters)}\n(the diff is longer)` : diff;
}

import { readFileSync } from "node:fs";
import { openFound } from "@toolpacks/files";
import { unifiedDiff } from "@toolpacks/files/unified-diff";
import type { KeptEntry } from "./entry.ts";
import { readLeaf, type Leaf } from "./leaves.ts";
import type { Planned } from "./undo-files.ts";
import type { UndoLog } from "./undo-log.ts";
import type { RecordStep } from "./undo-records.ts";

interface DiffOptions {
  /** The entries without records. */
  readonly others: readonly KeptEntry[];
  readonly steps: readonly RecordStep[];
  readonly planned: Planned;
  readonly images: UndoLog["images"];
  readonly show: (real: string) => string;
}

const maxCharacters = 100_000;

/** What an undo would do, as unified diffs of files and of records. */
export function undoDiff({ others, steps, planned, images, show }: DiffOptions): string {
  const jsonOf = (record: object | undefined) => (record === undefined ? "" : `${JSON.stringify(record, null, 1)}\n`);
  const parts = [
    ...others.flatMap(({ inverse }) =>
      inverse === undefined ? [] : [`${inverse.tool} ${JSON.stringify(inverse.args)}`],
    ),
    ...steps.map(({ name, now, then }) => unifiedDiff(name, jsonOf(now), jsonOf(then)).diff),
    ...[...planned].flatMap(([path, leaf]) => fileDiff(show(path), contentNow(path), leaf, images)),
  ];
  const diff = parts.join("\n");
  return diff.length > maxCharacters ? `${diff.slice(0, maxCharacters)}\n(the diff is longer)` : diff;
}

/** The content of a file. Otherwise, what is there in words. */
function contentNow(path: string): Buffer | string {
  const leaf = readLeaf(path);
  return leaf?.type === "file" ? (openFound(path, (file) => readFileSync(file)) ?? "") : wordsOf(leaf);
}

function wordsOf(leaf: Leaf | null): string {
  return leaf?.type === "link" ? `link to ${leaf.target}` : (leaf?.type ?? "");
}

function fileDiff(name: string, now: Buffer | string, leaf: Leaf | null, images: UndoLog["images"]): readonly string[] {
  const then = leaf?.type === "file" ? (images.read(leaf) ?? "moved here") : wordsOf(leaf);
  const texts = [now, then].map((content) => content.toString());
  if (texts.some((text) => text.includes("\0"))) return [`${name}: ${now.length} bytes, then ${then.length} bytes`];
  return texts[0] === texts[1] ? [] : [unifiedDiff(name, texts[0] ?? "", texts[1] ?? "").diff];
}

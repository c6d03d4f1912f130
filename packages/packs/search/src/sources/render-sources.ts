import { quoteName } from "@toolpacks/core";
import { z } from "zod";

/** The skipped files with their reasons. */
export const skippedField = z
  .array(z.object({ path: z.string(), reason: z.string() }))
  .optional()
  .describe("files that could not be parsed");

export type Skipped = NonNullable<z.output<typeof skippedField>>[number];

interface SourceItems<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly cursor?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly skipped?: readonly Skipped[] | undefined;
  readonly hint?: string | undefined;
}

interface FileText {
  readonly lines: readonly string[];
  /** Number of hits in the lines. */
  readonly hits: number;
}

/** Renders each file's name, the lines of its hits, then the totals and hints. */
export function renderSources<Item extends { readonly path: string }>(
  { items, total, cursor, partial, skipped = [], hint }: SourceItems<Item>,
  textOf: (item: Item) => FileText,
): string {
  const files = items.map((item) => ({ path: item.path, ...textOf(item) }));
  const shown = files.reduce((sum, { hits }) => sum + hits, 0);
  const lines = files.flatMap((file) => [quoteName(file.path), ...file.lines]);
  if (cursor !== undefined || shown < total) lines.push(`(${shown} of ${partial === true ? "at least " : ""}${total})`);
  // After a single hit there is no cursor, because such a page answers how many there are.
  if (cursor !== undefined && shown > 1) lines.push(`next: cursor ${JSON.stringify(cursor)}`);
  if (lines.length === 0) lines.push("none");
  lines.push(...skipped.map(({ path, reason }) => `skipped ${quoteName(path)}: ${reason}`));
  if (hint !== undefined) lines.push(hint);
  return lines.join("\n");
}

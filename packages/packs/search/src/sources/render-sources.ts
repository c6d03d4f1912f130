import { quoteName } from "@toolpacks/core/roots";

import type { Skipped } from "./skipped.ts";

interface SourceItems<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly cursor?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly skipped?: readonly Skipped[] | undefined;
  readonly hint?: string | undefined;
}

/** Renders each file's name, a line for each of its hits, then the totals and hints. */
export function renderSources<Item extends { readonly path: string }>(
  { items, total, cursor, partial, skipped = [], hint }: SourceItems<Item>,
  linesOf: (item: Item) => readonly string[],
): string {
  const files = items.map((item) => ({ path: item.path, found: linesOf(item) }));
  const shown = files.reduce((sum, { found }) => sum + found.length, 0);
  const lines = files.flatMap(({ path, found }) => [quoteName(path), ...found]);
  if (cursor !== undefined || shown < total) lines.push(`(${shown} of ${partial === true ? "at least " : ""}${total})`);
  if (cursor !== undefined) lines.push(`next: cursor ${JSON.stringify(cursor)}`);
  if (lines.length === 0) lines.push("none");
  lines.push(...skipped.map(({ path, reason }) => `skipped ${quoteName(path)}: ${reason}`));
  if (hint !== undefined) lines.push(hint);
  return lines.join("\n");
}

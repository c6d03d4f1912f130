import { z } from "zod";

/** The one shape of every list: summaries, the total, and the way to the rest. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** How many match, shown or not. Where they were not all counted, the hint says so. */
  readonly total: number;
  /** Opaque; passed back, it continues where this page ended. Absent on the last page. */
  readonly cursor?: string | undefined;
  /** True when the caller named no limit and only the first few of many are shown. */
  readonly compacted?: boolean | undefined;
  /** How to narrow or continue. */
  readonly hint?: string | undefined;
}

/** The output schema of a list of `item`. */
export function listSchema<Item extends z.ZodObject>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().describe("matching, shown or not"),
    cursor: z.string().optional().describe("pass back for the next page"),
    compacted: z.boolean().optional().describe("only the first few are shown"),
    hint: z.string().optional(),
  });
}

/** When a list is compacted, and to what. */
export interface Compaction {
  /** A list of more than this, asked for without a limit, is compacted. Default 20. */
  readonly over?: number;
  /** How many a compacted list shows. Default 5. */
  readonly show?: number;
}

/** How many items a page holds, and whether that is a compaction of what the caller would otherwise get. */
export function pageSize(
  remaining: number,
  limit: number | undefined,
  { over = 20, show = 5 }: Compaction = {},
): { readonly size: number; readonly compacted: boolean } {
  if (limit !== undefined) return { size: limit, compacted: false };
  return remaining > over ? { size: show, compacted: true } : { size: remaining, compacted: false };
}

/** Renders a list as one line per record, with the total and how to go on where not everything is shown. */
export function renderList<Item>(page: ListPage<Item>, line: (item: Item) => string): string {
  const lines = page.items.map(line);
  if (page.total > page.items.length || page.cursor !== undefined)
    lines.push(`(${page.items.length} of ${page.total})`);
  if (page.cursor !== undefined) lines.push(`next: cursor ${JSON.stringify(page.cursor)}`);
  if (page.hint !== undefined) lines.push(page.hint);
  return lines.length === 0 ? "none" : lines.join("\n");
}

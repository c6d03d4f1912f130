import { isObject } from "@toolpacks/schema";
import { z } from "zod";
import type { Tool } from "./tool.ts";

/** One page of a list. Every list has this shape. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Number of matching items, shown or not. If they were not all counted, the hint says so. */
  readonly total: number;
  /** Opaque cursor of the next page. Absent on the last page. */
  readonly cursor?: string | undefined;
  /** True if the caller gave no limit and only the first few items are shown. */
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

/** Settings for shortening a list that was requested without a limit. */
export interface Compaction {
  /** A list with more items than this is compacted. Default 20. */
  readonly over?: number;
  /** Number of items in a compacted list. Default 5. */
  readonly show?: number;
}

/** The option `list` of a pack, which says when its lists are compacted. @param items what its lists show, such as `hits` */
export function listOption(items: string, { over, show }: Required<Compaction>) {
  const count = z.int().min(1);
  return z
    .strictObject({
      over: count.default(over).describe("a longer list without a limit is compacted"),
      show: count.default(show).describe(`${items} that a compacted list shows`),
    })
    .default({ over, show })
    .describe("when lists are compacted");
}

/** The number of items on a page, and whether the page is compacted. */
export function pageSize(
  remaining: number,
  limit: number | undefined,
  { over = 20, show = 5 }: Compaction = {},
): { readonly size: number; readonly compacted: boolean } {
  if (limit !== undefined) return { size: limit, compacted: false };
  return remaining > over ? { size: show, compacted: true } : { size: remaining, compacted: false };
}

/** Maximum number of items in a list that code uses, without a limit of its own. */
const maxForCode = 1_000;

/**
 * The arguments of a call whose result code uses, such as a later step of a workflow: a list without a `limit` is not compacted, and has up to 1,000
 * items.
 */
export function withoutCompaction({ input, output }: Pick<Tool, "input" | "output">, args: unknown): unknown {
  const result = output?.json()["properties"];
  const fields = input.json()["properties"];
  if (!isObject(result) || !("compacted" in result) || !isObject(fields) || !isObject(fields["limit"])) return args;
  if (!isObject(args) || args["limit"] !== undefined) return args;
  return { ...args, limit: Math.min(maxForCode, Number(fields["limit"]["maximum"] ?? maxForCode)) };
}

/** Renders a list as one line per item, with the total, the cursor and the hint if the list is not complete. */
export function renderList<Item>(page: ListPage<Item>, line: (item: Item) => string): string {
  const lines = page.items.map(line);
  if (page.total > page.items.length || page.cursor !== undefined)
    lines.push(`(${page.items.length} of ${page.total})`);
  if (page.cursor !== undefined) lines.push(`next: cursor ${JSON.stringify(page.cursor)}`);
  if (page.hint !== undefined) lines.push(page.hint);
  return lines.length === 0 ? "none" : lines.join("\n");
}

/** Names of the field in which servers count all items, of which a list is a page. */
const totalName = /^total(_?(count|items|results))?$/i;

/**
 * A list that is the value, or its only one, and the number of all items of which it is a page, in words too if that is larger. Undefined for any other
 * value.
 */
export function listWithTotal(value: unknown) {
  const fields = isObject(value) ? Object.entries(value) : [];
  const lists: readonly unknown[][] = Array.isArray(value)
    ? [value]
    : fields.map(([, field]) => field).filter(Array.isArray);
  const [list, other] = lists;
  if (list === undefined || other !== undefined) return undefined;
  const [, named] = fields.find(([name, field]) => totalName.test(name) && Number.isSafeInteger(field)) ?? [];
  const total = Math.max(list.length, Number(named ?? 0));
  const counted = total > list.length ? `${list.length} of ${total} items, all that the server sent` : undefined;
  return { list, total, counted };
}

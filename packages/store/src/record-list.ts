import type { ListPage, Stored } from "@toolpacks/core";
import type { SearchPage } from "./search-text.ts";

/**
 * Converts a page of the store to a list.
 *
 * @param item converts a record to an item of the list
 * @param narrow the hint for a compacted list
 */
export function recordList<Data, Item>(
  page: SearchPage<Data>,
  item: (record: Stored<Data>) => Item,
  narrow: string,
): ListPage<Item> & { items: Item[] } {
  const { items, total, atLeast, cursor, compacted, damaged } = page;
  const hints = [
    ...(page.hint === undefined || items.length === 0 ? [] : [page.hint]),
    ...(compacted === true ? [narrow] : []),
    ...(atLeast === true ? [`More than ${total} match.`] : []),
    ...(damaged === undefined ? [] : [damagedHint(damaged)]),
  ];
  const hint = hints.length === 0 ? undefined : hints.join("\n");
  return { items: items.map(item), total, cursor, compacted, hint };
}

/** The hint of a list that leaves out damaged records. */
export function damagedHint(count: number): string {
  return `${count === 1 ? "1 damaged record is" : `${count} damaged records are`} left out. \`toolpacks doctor\` lists such records.`;
}

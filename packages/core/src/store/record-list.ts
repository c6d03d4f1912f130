import type { ListPage } from "../list.ts";
import type { Page, Stored } from "./store.ts";

/**
 * A page of the store as a list.
 *
 * @param item what is shown of a record
 * @param narrow what is said where only the first few of many are shown
 */
export function recordList<Data, Item>(
  page: Page<Data>,
  item: (record: Stored<Data>) => Item,
  narrow: string,
): ListPage<Item> & { items: Item[] } {
  const { items, total, atLeast, cursor, compacted, damaged } = page;
  const hints = [
    ...(compacted === true ? [narrow] : []),
    ...(atLeast === true ? [`More than ${total} match.`] : []),
    ...(damaged === undefined ? [] : [damagedHint(damaged)]),
  ];
  return {
    items: items.map(item),
    total,
    ...(cursor !== undefined && { cursor }),
    ...(compacted === true && { compacted }),
    ...(hints.length > 0 && { hint: hints.join("\n") }),
  };
}

/** What a list says of stored records that it leaves out because their kind's schema does not admit them. */
export function damagedHint(count: number): string {
  return `${count === 1 ? "1 damaged record is" : `${count} damaged records are`} left out. \`toolpacks doctor\` lists such records.`;
}

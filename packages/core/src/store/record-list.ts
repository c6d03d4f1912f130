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
  const { items, total, atLeast, cursor, compacted } = page;
  const hints = [...(compacted === true ? [narrow] : []), ...(atLeast === true ? [`More than ${total} match.`] : [])];
  return {
    items: items.map(item),
    total,
    ...(cursor !== undefined && { cursor }),
    ...(compacted === true && { compacted }),
    ...(hints.length > 0 && { hint: hints.join("\n") }),
  };
}

import { isObject, listWithTotal } from "@toolpacks/core";
import { jsonOfResult } from "./text-results.ts";

/**
 * How many items of a result's only list the start of its text holds, and of how many: `27 of 40`; `40 items` where the JSON of the text has
 * spaces. Of a list that is shown whole, although the server counts more, `27 items, all that the server sent`; undefined if that is all, or the result is not
 * mainly such a list.
 *
 * @param length of the start, in characters. 0 counts the list as it is: `40 items`. Default: the whole text
 */
export function itemCount(value: unknown, text = "", length = Infinity): string | undefined {
  const json = jsonOfResult(value);
  const { list, total: named = 0, counted } = listWithTotal(json ?? value) ?? {};
  if (list === undefined) return undefined;
  // The text of our own lists says how many there are. Their total may count lines, not items.
  const isOwn = json === undefined && isObject(value) && "items" in value && "total" in value;
  const total = isOwn ? list.length : named;
  const page = isOwn ? undefined : counted;
  const itemsOf = (count: number) => (count === 1 ? "1 item" : `${count} items`);
  if (length === 0) return page ?? itemsOf(total);
  if (length >= text.length) return page && `${itemsOf(list.length)}, all that the server sent`;
  const items = list.map((item) => JSON.stringify(item));
  const written = `[${items.join(",")}]`;
  let end = text.indexOf(written);
  if (2 * written.length < text.length) return undefined;
  if (end < 0) return page ?? `${total} items`;
  return `${items.filter((item) => (end += item.length + 1) <= length).length} of ${total}`;
}

import { isRow, mapFields, mapRows, maxDepth, type Path, type Row } from "./map-rows.ts";

/** Minimum rows of a list whose texts are cut. */
const minRows = 5;
/** Maximum characters of a text in a row. */
const maxText = 150;
/** Characters of a longer text that are shown. With the words in place of the rest, the text is within the maximum. */
const shownText = 120;
/** Characters of a text that an earlier row has, too. */
const maxRepeated = 20;

/** Cuts the long texts in the rows of a JSON value. A text that an earlier row has is shown once. */
export function cutTexts(value: unknown): unknown {
  const places = new Map<string, Path>();
  const cutAll = (part: unknown, path: Path): unknown => {
    if (typeof part === "string") return cut(part, path);
    if (path.length > maxDepth) return part;
    if (Array.isArray(part)) return part.map((item, at) => cutAll(item, [...path, at]));
    return isRow(part) ? cutFields(part, path) : part;
  };
  const cutFields = (row: Row, path: Path) => mapFields(row, (field, name) => cutAll(field, [...path, name]));
  const cut = (text: string, path: Path): string => {
    if (text.length <= maxText) return text;
    const earlier = places.get(text);
    if (earlier !== undefined) return `${text.slice(0, maxRepeated).toWellFormed()}… same as ${jsonPath(earlier)}`;
    places.set(text, path);
    const more = (text.length - shownText).toLocaleString("en");
    return `${text.slice(0, shownText).toWellFormed()}… ${more} characters more`;
  };
  return mapRows(value, { minRows, change: cutFields });
}

/** A path as JSONPath: `$.items[0].body`. */
function jsonPath(path: Path): string {
  return path.reduce<string>((joined, key) => joined + (typeof key === "number" ? `[${key}]` : `.${key}`), "$");
}

/** `:3:5`, the line and column of an offset in a text, from 1. Nothing for an unknown offset. */
export function placeIn(text: string, offset: number | undefined): string {
  if (offset === undefined) return "";
  const before = text.slice(0, offset);
  return `:${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

import type { Locate } from "./locate-key.ts";

/** A line `[table]`, `[[list of tables]]` or `key = value`, with the name. */
const named = /^(\s*)(?:(\[\[?)\s*([^\]]+?)\s*\]|([\w."' -]+?)\s*=)/;

/** Finds keys by their lines. Of an inline table or array, the position is its key's. */
export function locateToml(text: string): Locate {
  const offsets = new Map<string, number>();
  const counts = new Map<string, number>();
  let table: readonly string[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const [, indent = "", bracket, header = "", key = ""] = named.exec(line) ?? [];
    const parts = partsOf(bracket === undefined ? key : header);
    const at = bracket === undefined ? [...table, ...parts] : parts;
    for (let length = at.length; parts.length > 0 && length > 0; length -= 1) {
      const place = placeOf(at.slice(0, length));
      if (!offsets.has(place)) offsets.set(place, start + indent.length);
    }
    if (bracket !== undefined) {
      const count = counts.get(header) ?? 0;
      counts.set(header, count + 1);
      table = bracket === "[[" ? [...parts, String(count)] : parts;
      if (!offsets.has(placeOf(table))) offsets.set(placeOf(table), start + indent.length);
    }
    start += line.length + 1;
  }
  return (at) => {
    for (let length = at.length; length > 0; length -= 1) {
      const found = offsets.get(placeOf(at.slice(0, length).map(String)));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function partsOf(name: string): readonly string[] {
  return [...name.matchAll(/"([^"]*)"|'([^']*)'|([^\s.]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

function placeOf(at: readonly string[]): string {
  return JSON.stringify(at);
}

import { describe, expect, test } from "vitest";
import { createRelay, type Relay } from "./create-relay.ts";
import { memoryValues } from "./values/memory-values.ts";
import type { RelayValues } from "./values/relay-values.ts";

/** Values that are read in pieces of 1,000 bytes. */
function inPieces(values: RelayValues): RelayValues {
  return {
    ...values,
    async *read(id, range) {
      for await (const bytes of values.read(id, range)) {
        for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
      }
    },
  };
}

/** The same numbers every time, from 0 to below `most`. */
function numbers(): (most: number) => number {
  let state = 7;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

const next = numbers();
const letters = ["a", "é", "三", "🐟", "\n", "b", "c", "\r\n"];
const text = Array.from({ length: 200_000 }, () => letters[next(letters.length)] ?? "").join("");
const characters = Array.from(text);
const lines = text.split(/(?<=\n)/);

const places: readonly [string, () => Relay][] = [
  ["in one piece", () => createRelay({ values: memoryValues() })],
  ["in many pieces, cut through characters", () => createRelay({ values: inPieces(memoryValues()) })],
];

describe.each(places)("ranges of a text %s", (_name, create) => {
  test("match a simple implementation", async () => {
    const relay = create();
    const { id } = await relay.values.put({ data: text, mimeType: "text/plain", text: true });
    const range = async (fragment: string) => (await relay.unbox({ value: `relay://${id}#${fragment}` })).value;
    for (let round = 0; round < 60; round += 1) {
      const start = next(characters.length);
      const end = start + next(round % 2 === 0 ? 20 : 100_000);
      expect((await range(`chars=${start}-${end}`)) === characters.slice(start, end + 1).join("")).toBe(true);
      const line = next(lines.length);
      const last = line + next(round % 2 === 0 ? 5 : 20_000);
      expect((await range(`lines=${line + 1}-${last + 1}`)) === lines.slice(line, last + 1).join("")).toBe(true);
    }
    expect(await range(`chars=-3`)).toBe(characters.slice(-3).join(""));
    expect(await range(`lines=-2`)).toBe(lines.slice(-2).join(""));
    expect(await range(`lines=${lines.length}`)).toBe(lines.at(-1));
    expect((await range("chars=0-")) === text).toBe(true);
  });

  test("give the whole text, page by page, by characters and by lines", async () => {
    const relay = create();
    const { id } = await relay.values.put({ data: text, mimeType: "text/plain", text: true });
    for (const mode of ["slice", "lines"] as const) {
      const pages: string[] = [];
      for (let start: number | undefined; ;) {
        const [block] = (await relay.read({ handle: `relay://${id}`, mode, ...(start !== undefined && { start }) }))
          .blocks;
        const body = block?.type === "text" ? block.text : "";
        pages.push(body.slice(0, body.lastIndexOf("\n[")));
        const to = /; next: start (\d+)\]$/.exec(body)?.[1];
        if (to === undefined) break;
        start = Number(to);
      }
      const whole = pages.join(mode === "lines" ? "\n" : "");
      // Pages are joined with line feeds, so the original line endings are lost.
      const plain = (given: string) => (mode === "lines" ? given.replaceAll("\r\n", "\n").replace(/\n$/, "") : given);
      expect(plain(whole) === plain(text)).toBe(true);
    }
  });
});

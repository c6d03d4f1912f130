import { describe, expect, test } from "vitest";
import { StringCutter } from "./string-cutter.ts";

const options = { longest: 20, mostLeft: 10_000, mark: (cut: number) => `#${cut}#` };
const long = 'long "quoted" \\ and \\" more 🙂'.repeat(3);
const message = { [long]: 1, a: ["short", long, { b: long, c: 'short "too"' }], d: "", e: "\\", f: "x".repeat(20) };

function cut(pieces: readonly Buffer[], given = options): { rest: string; texts: string[] } | undefined {
  const cutter = new StringCutter(given);
  pieces.forEach((piece) => cutter.push(piece));
  const made = cutter.end();
  const all = Buffer.concat(pieces);
  return made && { rest: made.rest, texts: made.cuts.map(({ start, end }) => all.subarray(start, end).toString()) };
}

describe("StringCutter", () => {
  test("cuts long strings out, keys as well, wherever the text is cut into pieces", () => {
    const bytes = Buffer.from(JSON.stringify(message));
    const expected = JSON.stringify({
      "#0#": 1,
      a: ["short", "#1#", { b: "#2#", c: 'short "too"' }],
      d: "",
      e: "\\",
      f: "x".repeat(20),
    });
    const inside = JSON.stringify(long).slice(1, -1);
    for (let at = 0; at < bytes.length; at += 1) {
      const made = cut([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(made).toEqual({ rest: expected, texts: [inside, inside, inside] });
    }
    expect(cut([...bytes].map((byte) => Buffer.of(byte)))?.rest).toBe(expected);
  });

  test("gives up on a text of which too much is left, and on one that ends inside a string", () => {
    const bytes = Buffer.from(JSON.stringify(message));
    expect(cut([bytes], { ...options, mostLeft: 50 })).toBeUndefined();
    expect(cut([bytes.subarray(0, 30)])).toBeUndefined();
  });

  test("searches no byte of many escapes more than twice, with the closing quote at hand or still to come", () => {
    const bytes = Buffer.from(`"${String.raw`line\n`.repeat(20_000)}"`);
    let searched = 0;
    const counting = (piece: Buffer): Buffer => {
      piece.indexOf = (value, from) => {
        const at = Buffer.prototype.indexOf.call(piece, value, from);
        searched += (at === -1 ? piece.length : at) - Number(from);
        return at;
      };
      return piece;
    };
    for (const end of [bytes.length, bytes.length - 1]) {
      searched = 0;
      const pieces = [bytes.subarray(0, end), bytes.subarray(end)].map(counting);
      expect(cut(pieces)?.texts[0]?.length).toBe(120_000);
      expect(searched).toBeGreaterThan(bytes.length / 2);
      expect(searched).toBeLessThanOrEqual(2 * bytes.length);
    }
  });
});

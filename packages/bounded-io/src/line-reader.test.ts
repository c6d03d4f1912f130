import { expect, test } from "vitest";
import { createLineReader, type LongLine } from "./message-stream.ts";

/** What a reader of lines up to 5,000 bytes makes of pieces. */
function read(pieces: readonly string[]) {
  const lines: string[] = [];
  const long: LongLine[] = [];
  const take = createLineReader(5_000, {
    line: (line) => lines.push(line.toString()),
    tooLong: (line) => long.push(line),
  });
  for (const piece of pieces) take(Buffer.from(piece));
  return { lines, long };
}

const letters = Array.from({ length: 9_000 }, (_, at) => String.fromCodePoint(97 + (at % 26))).join("");
const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

test.each([1, 7, 1_999, 2_000, 2_001, 5_000, 20_000])(
  "lines are whole, and the ends of a long line are kept, in chunks of %i bytes",
  (size) => {
    const { lines, long } = read(cut(`first\n${letters}\n\nlast\r\n`, size));
    expect(lines).toEqual(["first", "", "last"]);
    expect(long).toEqual([{ head: letters.slice(0, 2_000), tail: letters.slice(-2_000) }]);
  },
);

test("lines of megabytes are whole, and the ends of a line beyond the limit are kept", () => {
  const lines: number[] = [];
  const long: LongLine[] = [];
  const take = createLineReader(3_000_000, {
    line: (line) => lines.push(line.equals(Buffer.from(letters.repeat(300))) ? line.length : -1),
    tooLong: (line) => long.push(line),
  });
  for (const piece of cut(`${letters.repeat(300)}\r\n${letters.repeat(400)}\n${letters.repeat(300)}\n`, 65_536)) {
    take(Buffer.from(piece));
  }
  expect(lines).toEqual([2_700_000, 2_700_000]);
  expect(long).toEqual([{ head: letters.slice(0, 2_000), tail: letters.slice(-2_000) }]);
});

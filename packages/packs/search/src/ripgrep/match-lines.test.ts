import { expect, test } from "vitest";
import { matchLines } from "./match-lines.ts";

async function linesOf(output: string, chunkBytes = 65_536) {
  const bytes = Buffer.from(output);
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  })();
  return (await Array.fromAsync(matchLines(chunks))).flat();
}

const message = (type: string, data: object) => `${JSON.stringify({ type, data })}\n`;
const found = (path: string, text: string) =>
  message("match", {
    path: { text: path },
    lines: { text },
    line_number: 1,
    absolute_offset: 0,
    submatches: [{ match: { text: "x" }, start: 0, end: 1 }],
  });

test("too long a line is left out, and the next lines are read", async () => {
  const lines = await linesOf(found('a "b"', "x".repeat(17_000_000)) + found("c", "x\n"));
  expect(lines.map(({ path, text }) => ({ path, text }))).toEqual([{ path: "c", text: "x" }]);
});

test("a match over lines has all of them, and bytes that are not UTF-8", async () => {
  const data = {
    path: { text: "a" },
    lines: { bytes: Buffer.from("ö\xff\nx\r\n", "latin1").toString("base64") },
    line_number: 7,
    absolute_offset: 10,
    submatches: [{ match: { text: "?" }, start: 1, end: 4 }],
  };
  const lines = await linesOf(message("match", data), 3);
  expect(lines).toMatchObject([{ line: 7, text: "\uFFFD\uFFFD\nx", offset: 10, bytes: { length: 5 }, isMatch: true }]);
});

import { describe, expect, test } from "vitest";
import { decodeJsonString, encodeJsonString, NotWellFormed } from "./json-string.ts";

const text = 'tab\t "quoted" \\ back \\\\u0041 → 🙂 é \u0000\u0001\u001f\u2028 /\b\f\r\n end';

/** Cut in two at every place, and into single bytes. */
function cuts(bytes: Buffer): Buffer[][] {
  const halves = Array.from({ length: bytes.length }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  return [...halves, [...bytes].map((byte) => Buffer.of(byte))];
}

async function* stream(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function join(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

describe("decodeJsonString", () => {
  test("reads what JSON writes, wherever it is cut", async () => {
    const inside = Buffer.from(JSON.stringify(text).slice(1, -1));
    for (const pieces of cuts(inside)) expect(await join(decodeJsonString(stream(pieces)))).toBe(text);
  });

  test("reads every character that is written as an escape, wherever it is cut", async () => {
    const escaped = Array.from(
      { length: text.length },
      (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
    );
    const inside = Buffer.from(`${escaped.join("")}\\/`);
    for (const pieces of cuts(inside)) expect(await join(decodeJsonString(stream(pieces)))).toBe(`${text}/`);
  });

  test.each([
    String.raw`a\ud83d`,
    String.raw`a\ude42b`,
    String.raw`\ud83d\u0041`,
    String.raw`\ud83dx\ude42`,
    String.raw`\u12`,
  ])("refuses %s, which stands for no text", async (inside) => {
    await expect(join(decodeJsonString(stream([Buffer.from(inside)])))).rejects.toThrow(NotWellFormed);
  });
});

describe("encodeJsonString", () => {
  test("writes what JSON reads, wherever it is cut", async () => {
    for (const pieces of cuts(Buffer.from(text))) {
      expect(JSON.parse(`"${await join(encodeJsonString(stream(pieces)))}"`)).toBe(text);
    }
  });
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolError } from "@toolpacks/core";
import type { OpenValue } from "./open-value.ts";
import { compilePattern } from "./pattern.ts";

export interface GrepRequest {
  readonly pattern: string;
  /** Context lines before and after a match. */
  readonly window: number;
  /** Maximum matches: lines, and in long lines each place. */
  readonly limit: number;
  /** Matches to skip. */
  readonly skip: number;
  /** Maximum bytes of the output. */
  readonly room: number;
}

export interface Grepped {
  readonly text: string;
  /** Number of matches in the output. */
  readonly shown: number;
  /** Whether there are more matches, or the search timed out. */
  readonly more: "none" | "matches" | "time";
}

/** Longer lines are searched in overlapping pieces. Only the text around a match is shown. */
const maxPieceLength = 64 * 1024;
const pieceDistance = maxPieceLength - 1_024;
const maxShownLength = 300;
const timeoutMs = 10_000;
/** Time after which other requests are handled. */
const turnMs = 20;

/** A line, or a piece of a long one. */
interface Line {
  readonly number: number;
  readonly text: string;
  /** Where the next piece of the line begins. A match from there on is found in that piece. */
  readonly next: number;
}

/** Finds matching lines. The value is streamed; only lines that may still be shown are kept in memory. */
export async function grep(value: OpenValue, request: GrepRequest): Promise<Grepped> {
  if (!value.info.text)
    throw new ToolError("invalid_input", "grep: the value is not text", "Use slice, or pass it on.");
  const pattern = compilePattern(request.pattern);
  const page = createPage(request);
  const deadline = performance.now() + timeoutMs;
  let matches = 0;
  let turnEnd = performance.now() + turnMs;
  for await (const line of linesOf(value)) {
    let at = pattern.test(line.text) ? matchFrom(pattern, line, 0) : undefined;
    if (at === undefined) page.pass(line);
    do {
      if (at !== undefined) {
        matches += 1;
        if (matches > request.skip && !page.show(line, at)) return { ...page.end(), more: "matches" };
        // A long line, such as JSON without line breaks, may match again behind the text that is shown around this match.
        const end = shownStart(line.text, at) + maxShownLength;
        at = end < line.text.length ? matchFrom(pattern, line, end) : undefined;
      }
      if (performance.now() > deadline) return { ...page.end(), more: "time" };
      if (performance.now() < turnEnd) continue;
      await nextTurn();
      turnEnd = performance.now() + turnMs;
    } while (at !== undefined);
  }
  return { ...page.end(), more: "none" };
}

function matchFrom(pattern: ReturnType<typeof compilePattern>, { text, next }: Line, from: number): number | undefined {
  const matcher = pattern.matcher(text);
  return matcher.find(from) && matcher.start() < next ? matcher.start() : undefined;
}

interface Page {
  /** Adds a line that does not match. */
  pass(line: Line): void;
  /** Adds a matching line. False when there is no room for it. */
  show(line: Line, at: number): boolean;
  end(): Pick<Grepped, "text" | "shown">;
}

function createPage({ window, limit, room }: GrepRequest): Page {
  const shownLines: string[] = [];
  let before: Line[] = [];
  let left = room;
  let shown = 0;
  let after = 0;
  let last = 0;
  const write = (lines: readonly string[]): boolean => {
    const size = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (size > left) return false;
    left -= size;
    shownLines.push(...lines);
    return true;
  };
  return {
    pass(line) {
      if (after > 0) {
        after -= 1;
        if (write([render(line, "-", 0)])) last = line.number;
      } else if (window > 0) {
        before.push(line);
        if (before.length > window) before.shift();
      }
    },
    show(line, at) {
      if (shown === limit) return false;
      const context = before.filter(({ number }) => number > last).map((one) => render(one, "-", 0));
      const first = before.find(({ number }) => number > last)?.number ?? line.number;
      const gap = window > 0 && shownLines.length > 0 && first > last + 1 ? ["--"] : [];
      const isWritten =
        write([...gap, ...context, render(line, ":", at)]) || (shown === 0 && write([render(line, ":", at)]));
      if (!isWritten) return false;
      shown += 1;
      before = [];
      after = window;
      last = line.number;
      return true;
    },
    end: () => ({ text: shownLines.join("\n"), shown }),
  };
}

function shownStart(text: string, at: number): number {
  return Math.max(0, Math.min(at - maxShownLength / 3, text.length - maxShownLength));
}

/** `12: text`. Of a long line, the text around a match. */
function render({ number, text }: Line, mark: string, at: number): string {
  if (text.length <= maxShownLength) return `${number}${mark} ${text}`;
  const start = shownStart(text, at);
  const piece = text.slice(start, start + maxShownLength).toWellFormed();
  return `${number}${mark} ${start > 0 ? "…" : ""}${piece}${start + maxShownLength < text.length ? "…" : ""}`;
}

async function* linesOf({ values, info, signal }: OpenValue): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let number = 1;
  let held = "";
  for await (const chunk of values.read(info.id)) {
    signal?.throwIfAborted();
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) {
      yield lastPiece(number, yield* piecesOf(number, line));
      number += 1;
    }
    held = yield* piecesOf(number, held);
  }
  held += decoder.decode();
  if (held !== "") yield lastPiece(number, held);
}

/** The pieces of a long line but the last one, which is returned. */
function* piecesOf(number: number, line: string): Generator<Line, string> {
  let rest = line;
  for (; rest.length > maxPieceLength; rest = rest.slice(pieceDistance)) {
    yield { number, text: rest.slice(0, maxPieceLength), next: pieceDistance };
  }
  return rest;
}

function lastPiece(number: number, text: string): Line {
  return { number, text: text.endsWith("\r") ? text.slice(0, -1) : text, next: Infinity };
}

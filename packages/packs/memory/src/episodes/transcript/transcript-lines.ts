import { createLineReader, messageBounds } from "@toolpacks/bounded-io";
import { exceededMessage, measure, ToolError } from "@toolpacks/core";

/** Maximum bytes of a transcript. */
const maxFileBytes = 1024 * 1024 * 1024;
/** Maximum bytes of a line. Lines with images, and the histories that Codex repeats after a compaction, are large. */
const maxLineBytes = 16 * 1024 * 1024;

/** A line of a transcript: its JSON object, or why it has none. Lines are counted from 1; empty lines are left out. */
export type TranscriptLine =
  | { readonly number: number; readonly record: object }
  | { readonly number: number; readonly problem: string };

/**
 * Splits a file into lines and parses them. A broken line has a problem in place of its record.
 *
 * @throws ToolError `too_large` after 1 GiB
 */
export async function* transcriptLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<TranscriptLine> {
  let lines: TranscriptLine[] = [];
  let number = 0;
  let bytes = 0;
  const read = createLineReader(maxLineBytes, {
    line(line) {
      number += 1;
      const parsed = parseLine(line);
      if (parsed !== undefined) lines.push({ number, ...parsed });
    },
    tooLong() {
      number += 1;
      lines.push({ number, problem: `longer than ${maxLineBytes.toLocaleString("en")} bytes` });
    },
  });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxFileBytes) {
      throw new ToolError("too_large", `the transcript: expected at most ${maxFileBytes.toLocaleString("en")} bytes`);
    }
    read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    yield* lines;
    lines = [];
  }
  read(Buffer.from("\n"));
  yield* lines;
}

function parseLine(line: Buffer): { record: object } | { problem: string } | undefined {
  if (line.every((byte) => byte === 0x20 || byte === 0x09)) return undefined;
  try {
    // Also removes a byte order mark.
    const record: unknown = JSON.parse(new TextDecoder().decode(line));
    if (record === null || typeof record !== "object" || Array.isArray(record)) return { problem: "not a JSON object" };
    const { exceeded } = measure(record, messageBounds);
    return exceeded === undefined ? { record } : { problem: exceededMessage(exceeded, messageBounds) };
  } catch {
    return { problem: "not JSON" };
  }
}

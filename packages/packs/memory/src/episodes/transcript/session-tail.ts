import { open } from "node:fs/promises";
import { constants } from "node:fs";
import { createClaudeCodeReader } from "./claude-code.ts";
import { createCodexReader } from "./codex.ts";
import { createCursorReader } from "./cursor.ts";
import { textOf, type RecordReader } from "./session-event.ts";
import { transcriptLines } from "./transcript-lines.ts";

/** Bytes that are read from the beginning of a long transcript. */
const maxHeadBytes = 128 * 1024;
/** Bytes that are read from the end of a transcript. */
const maxTailBytes = 512 * 1024;
const maxFiles = 20;
const maxPathLength = 1_000;

const readers: Readonly<Record<string, () => RecordReader>> = {
  "claude-code": createClaudeCodeReader,
  codex: createCodexReader,
  cursor: createCursorReader,
};

/**
 * Reads the beginning and the end of a transcript: JSON lines of `claude-code`, `codex` or `cursor`. A line of another form is skipped.
 *
 * @returns the user's first message of the whole session; messages in order of time, of the agent only the last one before each message of the user;
 *   files that tools of the client named, newest last
 * @throws Error if the file cannot be read
 */
export async function readSessionTail(file: string, client: string) {
  const reader = readers[client]?.();
  const messages: { role: "user" | "agent"; text: string }[] = [];
  const files = new Set<string>();
  for await (const line of transcriptLines(endsOf(file))) {
    for (const event of ("record" in line && reader?.read(line.record)) || []) {
      if (event.type === "message" && event.role !== "summary") {
        const role = event.role === "user" ? "user" : "agent";
        if (role === "agent" && messages.at(-1)?.role === "agent") messages.pop();
        messages.push({ role, text: event.text });
      }
      const named =
        event.type === "call" ? (textOf(event.input, "file_path") ?? textOf(event.input, "path")) : undefined;
      if (named === undefined || named.length > maxPathLength) continue;
      files.delete(named);
      files.add(named);
    }
  }
  const firstPrompt = messages.find(({ role }) => role === "user")?.text;
  return { firstPrompt, messages, files: [...files].slice(-maxFiles) };
}

/** The bytes of a short file. Of a long one its beginning and its end, between which a line is broken. */
async function* endsOf(path: string): AsyncGenerator<Uint8Array> {
  // Opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("expected a regular file");
    const read = async (bytes: number, position: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
      return buffer.subarray(0, bytesRead);
    };
    if (stat.size > maxTailBytes + maxHeadBytes) {
      yield await read(maxHeadBytes, 0);
      yield Buffer.from("\n");
    }
    const tailBytes = stat.size > maxTailBytes + maxHeadBytes ? maxTailBytes : stat.size;
    yield await read(tailBytes, stat.size - tailBytes);
  } finally {
    await file.close();
  }
}

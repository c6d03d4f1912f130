import { closeSync, fstatSync, openSync, readSync, constants } from "node:fs";
import { isObject } from "@toolpacks/core";

/** Bytes that are read from the end of a transcript. */
const maxBytes = 512 * 1024;
const maxFiles = 20;

/** The end of a session, as its transcript tells it. */
export interface TranscriptTail {
  readonly lastPrompt: string | undefined;
  readonly lastAnswer: string | undefined;
  /** Files that tools of the client named, newest last. */
  readonly files: readonly string[];
}

/** Reads the end of a transcript: JSON lines of Claude Code, Codex or Cursor. A line of another form is skipped. @throws Error if it cannot be read */
export function readTranscriptTail(file: string): TranscriptTail {
  let lastPrompt: string | undefined;
  let lastAnswer: string | undefined;
  const files = new Set<string>();
  for (const line of lastLines(file)) {
    const message = messageOf(line);
    if (message === undefined) continue;
    const text = textOf(message["content"]);
    if (message["role"] === "user" && text.trim() !== "" && !isInjected(text)) lastPrompt = text;
    if (message["role"] === "assistant" && text.trim() !== "") lastAnswer = text;
    for (const named of filesIn(message["content"])) {
      files.delete(named);
      files.add(named);
    }
  }
  return { lastPrompt, lastAnswer, files: [...files].slice(-maxFiles) };
}

function lastLines(file: string): readonly string[] {
  // Opening a named pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error("expected a regular file");
    const start = Math.max(0, stat.size - maxBytes);
    const bytes = Buffer.alloc(Math.min(stat.size, maxBytes));
    const length = readSync(descriptor, bytes, 0, bytes.length, start);
    const lines = bytes.subarray(0, length).toString().split("\n");
    // The first line may be the rest of a longer one.
    return start === 0 ? lines : lines.slice(1);
  } finally {
    closeSync(descriptor);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The message of a line: `message` of Claude Code and Cursor, `payload` of Codex. Messages of subagents and of the client itself are skipped. */
function messageOf(line: string): Fields | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["isSidechain"] === true || value["isMeta"] === true) return undefined;
  const message = value["message"] ?? value["payload"];
  if (!isObject(message)) return undefined;
  return { ...message, role: message["role"] ?? value["role"] };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part: unknown) =>
    isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
  return texts.join("\n");
}

/** Whether a client wrote the text in the user's name, such as its environment or a reminder. */
function isInjected(text: string): boolean {
  return /^\s*<[a-z_-]+>/i.test(text);
}

function filesIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    const input = isObject(part) && part["type"] === "tool_use" ? part["input"] : undefined;
    const named = isObject(input) ? (input["file_path"] ?? input["path"]) : undefined;
    return typeof named === "string" && named.length <= 1_000 && named !== "" ? [named] : [];
  });
}

import { closeSync, fstatSync, openSync, readSync, constants } from "node:fs";
import { isObject } from "@toolpacks/core";

/** Bytes that are read from the beginning of a long transcript. */
const maxHeadBytes = 128 * 1024;
/** Bytes that are read from the end of a transcript. */
const maxTailBytes = 512 * 1024;
const maxFiles = 20;

/** What the user or the agent said. */
export interface SessionMessage {
  readonly role: "user" | "agent";
  readonly text: string;
}

/** The end of a session, as its transcript tells it. */
export interface TranscriptTail {
  /** The user's first message of the whole session. */
  readonly firstPrompt: string | undefined;
  /** Messages in order of time: of the agent, only the last one before each message of the user. */
  readonly messages: readonly SessionMessage[];
  /** Files that tools of the client named, newest last. */
  readonly files: readonly string[];
}

/**
 * Reads the beginning and the end of a transcript: JSON lines of Claude Code, Codex or Cursor. A line of another form is skipped.
 *
 * @throws Error if the file cannot be read
 */
export function readTranscriptTail(file: string): TranscriptTail {
  const messages: SessionMessage[] = [];
  const files = new Set<string>();
  const { head, tail } = readLines(file);
  for (const line of tail) {
    const record = recordOf(line);
    if (record === undefined) continue;
    const message = messageIn(record);
    if (message !== undefined) {
      if (message.role === "agent" && messages.at(-1)?.role === "agent") messages.pop();
      messages.push(message);
    }
    for (const named of filesIn(record["content"])) {
      files.delete(named);
      files.add(named);
    }
  }
  return { firstPrompt: promptIn(head) ?? promptOf(messages), messages, files: [...files].slice(-maxFiles) };
}

function promptIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const record = recordOf(line);
    const message = record && messageIn(record);
    if (message?.role === "user") return message.text;
  }
  return undefined;
}

function promptOf(messages: readonly SessionMessage[]): string | undefined {
  return messages.find(({ role }) => role === "user")?.text;
}

interface TranscriptLines {
  /** The first lines of a transcript that is not read whole. */
  readonly head: readonly string[];
  readonly tail: readonly string[];
}

function readLines(file: string): TranscriptLines {
  // Opening a named pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error("expected a regular file");
    const read = (from: number, bytes: number): readonly string[] => {
      const buffer = Buffer.alloc(bytes);
      return buffer
        .subarray(0, readSync(descriptor, buffer, 0, bytes, from))
        .toString()
        .split("\n");
    };
    if (stat.size <= maxTailBytes) return { head: [], tail: read(0, stat.size) };
    // The first line of the tail may be the rest of a longer one.
    return { head: read(0, maxHeadBytes), tail: read(stat.size - maxTailBytes, maxTailBytes).slice(1) };
  } finally {
    closeSync(descriptor);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Marks of Claude Code: of a subagent, of the client in the user's name, and of a summary after a compaction. */
const skippedMarks = ["isSidechain", "isMeta", "isCompactSummary"];

/** The record of a line: `message` of Claude Code and Cursor, `payload` of Codex. Those of subagents and of the client itself are skipped. */
function recordOf(line: string): Fields | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || skippedMarks.some((mark) => value[mark] === true)) return undefined;
  const message = value["message"] ?? value["payload"];
  if (!isObject(message)) return undefined;
  return { ...message, role: message["role"] ?? value["role"] };
}

function messageIn({ role, content }: Fields): SessionMessage | undefined {
  const text = textOf(content);
  if (text.trim() === "") return undefined;
  if (role === "assistant") return { role: "agent", text };
  return role === "user" && !isInjected(text) ? { role: "user", text } : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part: unknown) =>
    isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
  return texts.join("\n");
}

/** Whether a client wrote the text in the user's name, such as its environment, a reminder or the user's instructions for all sessions. */
function isInjected(text: string): boolean {
  return /^\s*(?:<[a-z_-]+>|# AGENTS\.md instructions|\[Request interrupted)/i.test(text);
}

function filesIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    const input = isObject(part) && part["type"] === "tool_use" ? part["input"] : undefined;
    const named = isObject(input) ? (input["file_path"] ?? input["path"]) : undefined;
    return typeof named === "string" && named.length <= 1_000 && named !== "" ? [named] : [];
  });
}

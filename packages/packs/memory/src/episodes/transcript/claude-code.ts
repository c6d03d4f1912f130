import { personalText } from "./injected-text.ts";
import { fieldOf, itemsOf, messageOf, textOf, type RecordReader, type SessionEvent } from "./session-event.ts";

/** Types of the lines of `~/.claude/projects/<folder>/<session>.jsonl` that name their session. */
const messageTypes: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "attachment"]);
/** Maximum number of records that are compared. */
const maxCompared = 500_000;

export function isClaudeCodeRecord(record: object): boolean {
  return messageTypes.has(fieldOf(record, "type")) && textOf(record, "sessionId") !== undefined;
}

/**
 * Reads a transcript of Claude Code: one record per line, with content blocks in `message`. Left out are thinking, the results of tools, the
 * conversations of sub-agents (`isSidechain`), and texts that the client adds in the name of the user (`isMeta`).
 */
export function createClaudeCodeReader(): RecordReader {
  /** The ids of all records. A record that is in the file twice counts once. */
  const seen = new Set<string>();
  return {
    client: "claude-code",
    read(record) {
      const title = titleOf(record);
      if (title !== undefined) return [title];
      const id = textOf(record, "uuid");
      if (id !== undefined && seen.has(id)) return [];
      if (id !== undefined && seen.size < maxCompared) seen.add(id);
      return readMessage(record);
    },
  };
}

/** The name that the user gave the session, or one that the client made. */
function titleOf(record: object): SessionEvent | undefined {
  const type = fieldOf(record, "type");
  const text = textOf(record, type === "custom-title" ? "customTitle" : "aiTitle");
  if (text === undefined) return undefined;
  if (type === "custom-title") return { type: "title", rank: 2, text };
  return type === "ai-title" ? { type: "title", rank: 1, text } : undefined;
}

function readMessage(record: object): readonly SessionEvent[] {
  if (!isClaudeCodeRecord(record) || fieldOf(record, "isSidechain") === true) return [];
  const session = textOf(record, "sessionId") ?? "";
  const start: SessionEvent = { type: "session", session, folder: textOf(record, "cwd") };
  if (fieldOf(record, "isMeta") === true || fieldOf(record, "isApiErrorMessage") === true) return [start];
  switch (fieldOf(record, "type")) {
    case "user":
      return [start, ...readUser(record)];
    case "assistant":
      return [start, ...itemsOf(fieldOf(record, "message"), "content").flatMap(readAnswerBlock)];
    case "attachment":
      return [start, ...readQueuedPrompt(fieldOf(record, "attachment"))];
    default:
      return [start];
  }
}

function readUser(record: object): readonly SessionEvent[] {
  const message = fieldOf(record, "message");
  const plain = textOf(message, "content");
  const blocks = plain === undefined ? itemsOf(message, "content") : [{ type: "text", text: plain }];
  if (fieldOf(record, "isCompactSummary") === true) {
    return blocks.flatMap((block) => messageOf("summary", textOf(block, "text") ?? ""));
  }
  const isPersonal = fieldOf(record, "isVisibleInTranscriptOnly") !== true && isHuman(record);
  return blocks.flatMap((block): readonly SessionEvent[] => {
    if (fieldOf(block, "type") === "tool_result") {
      const id = textOf(block, "tool_use_id");
      return id !== undefined && fieldOf(block, "is_error") === true ? [{ type: "failure", id }] : [];
    }
    return isPersonal ? messageOf("user", personalText(textOf(block, "text") ?? "")) : [];
  });
}

/** Whether a person wrote a record. Older records do not say who wrote them. */
function isHuman(record: object): boolean {
  return (textOf(fieldOf(record, "origin"), "kind") ?? "human") === "human";
}

function readAnswerBlock(block: unknown): readonly SessionEvent[] {
  const type = fieldOf(block, "type");
  if (type === "text") return messageOf("assistant", textOf(block, "text") ?? "");
  const name = type === "tool_use" || type === "server_tool_use" ? textOf(block, "name") : undefined;
  return name === undefined ? [] : [{ type: "call", id: textOf(block, "id"), name, input: fieldOf(block, "input") }];
}

/** A message that the user wrote while the agent worked. */
function readQueuedPrompt(attachment: unknown): readonly SessionEvent[] {
  const isPrompt = (textOf(attachment, "commandMode") ?? "prompt") === "prompt";
  if (fieldOf(attachment, "type") !== "queued_command" || !isPrompt || !isHuman(attachment as object)) return [];
  const plain = textOf(attachment, "prompt");
  const blocks = plain === undefined ? itemsOf(attachment, "prompt") : [{ text: plain }];
  return blocks.flatMap((block) => messageOf("user", personalText(textOf(block, "text") ?? "")));
}

import { jsonValue } from "@toolpacks/core";
import { personalText } from "./injected-text.ts";
import { fieldOf, itemsOf, messageOf, textOf, type RecordReader, type SessionEvent } from "./session-event.ts";

/** Types of the lines of `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`. Each line has its content in `payload`. */
const lineTypes: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
]);

export function isCodexRecord(record: object): boolean {
  const payload = fieldOf(record, "payload");
  return lineTypes.has(fieldOf(record, "type")) && payload !== null && typeof payload === "object";
}

/**
 * Reads a rollout of Codex. Left out are reasoning, the results of tools, and texts that the client adds in the name of the user. The rollout of a
 * sub-agent begins with a copy of its parent's history, which is left out, too.
 */
export function createCodexReader(): RecordReader {
  let isStarted = false;
  let firstOrdinal = 0;
  const isRepeated = createRepetitionFilter();
  return {
    client: "codex",
    read(record) {
      const payload = fieldOf(record, "payload");
      const ordinal = fieldOf(record, "ordinal");
      const type = fieldOf(record, "type");
      switch (type) {
        case "session_meta": {
          // A forked session has the line of its origin, too, after its own.
          const session = textOf(payload, "id") ?? textOf(payload, "session_id");
          if (isStarted || session === undefined) return [];
          isStarted = true;
          firstOrdinal = Number(fieldOf(payload, "subagent_history_start_ordinal") ?? 0);
          return [{ type: "session", session, folder: textOf(payload, "cwd") }];
        }
        case "response_item":
        case "event_msg": {
          if (typeof ordinal === "number" && ordinal < firstOrdinal) return [];
          const events = type === "event_msg" ? readEvent(payload) : readItem(payload);
          return events.filter((event) => event.type !== "message" || !isRepeated(event, type));
        }
        case "compacted":
          return messageOf("summary", textOf(payload, "message") ?? "");
        default:
          return [];
      }
    },
  };
}

/** Maximum number of messages of each role that are compared. */
const maxCompared = 8;

/** Most messages are in the file twice: as an item of the model's input or output, and as an event. */
function createRepetitionFilter() {
  const unmatched: Record<string, { readonly text: string; readonly source: string }[]> = {};
  return ({ role, text: message }: { role: string; text: string }, source: string): boolean => {
    const [known, text] = [(unmatched[role] ??= []), message.trim()];
    const at = known.findIndex((other) => other.source !== source && other.text === text);
    if (at >= 0) known.splice(at, 1);
    else known.push({ text, source });
    if (known.length > maxCompared) known.shift();
    return at >= 0;
  };
}

function readItem(item: unknown): readonly SessionEvent[] {
  const id = textOf(item, "call_id");
  switch (fieldOf(item, "type")) {
    case "message":
      return readMessageItem(item);
    case "function_call":
      return [{ type: "call", id, name: toolName(item), input: parseArguments(textOf(item, "arguments") ?? "") }];
    case "custom_tool_call":
      return [{ type: "call", id, name: toolName(item), input: fieldOf(item, "input") }];
    case "local_shell_call":
      return [{ type: "call", id, name: "shell", input: fieldOf(fieldOf(item, "action"), "command") }];
    case "web_search_call":
      return [{ type: "call", id, name: "web_search", input: fieldOf(fieldOf(item, "action"), "query") }];
    case "function_call_output":
    case "custom_tool_call_output":
      return id !== undefined && hasFailed(fieldOf(item, "output")) ? [{ type: "failure", id }] : [];
    default:
      return [];
  }
}

function readMessageItem(item: unknown): readonly SessionEvent[] {
  const role = fieldOf(item, "role");
  // The client's own instructions are messages of the roles `developer` and `system`.
  if (role !== "user" && role !== "assistant") return [];
  const texts = itemsOf(item, "content").map((block) => textOf(block, "text") ?? "");
  if (role === "assistant") return messageOf(role, texts.join("\n"));
  const personal = texts.filter((text) => !/^<\/?image\b/.test(text)).map(personalText);
  return messageOf(role, personal.filter((text) => text !== "").join("\n"));
}

function readEvent(event: unknown): readonly SessionEvent[] {
  const id = textOf(event, "call_id");
  const failure: readonly SessionEvent[] = id === undefined ? [] : [{ type: "failure", id }];
  switch (fieldOf(event, "type")) {
    case "user_message":
      return messageOf("user", personalText(textOf(event, "message") ?? ""));
    case "agent_message":
      return messageOf("assistant", textOf(event, "message") ?? "");
    case "item_completed": {
      // The messages of these items are response items, too.
      const item = fieldOf(event, "item");
      const callId = textOf(item, "id");
      return callId !== undefined && fieldOf(item, "status") === "failed" ? [{ type: "failure", id: callId }] : [];
    }
    case "patch_apply_end":
      return fieldOf(event, "success") === false ? failure : [];
    case "exec_command_end":
      return Number(fieldOf(event, "exit_code") ?? 0) === 0 ? [] : failure;
    case "mcp_tool_call_end": {
      const result = fieldOf(event, "result");
      const isError = fieldOf(fieldOf(result, "Ok"), "isError") === true || fieldOf(result, "Err") !== undefined;
      return isError ? failure : [];
    }
    default:
      return [];
  }
}

function toolName(item: unknown): string {
  const [namespace, name = "tool"] = [textOf(item, "namespace"), textOf(item, "name")];
  return namespace === undefined ? name : `${namespace}.${name}`;
}

const maxParsedLength = 100_000;
/** A command's exit code, in the forms that Codex writes at the beginning or the end of an output. */
const failedExit = /(?:^|\n)(?:Process exited with code|Exit code:) (?!0\b)-?\d+|"exit_code":\s*(?!0\b)-?\d+/;
const searchedLength = 300;

/** The arguments of a call: an object if they are JSON, else their text. */
function parseArguments(text: string): unknown {
  const value = text.length > maxParsedLength ? undefined : jsonValue(text);
  return value === undefined ? text : value;
}

/** Whether an output says that its call failed. It is a text, a list of texts, or an object with a text. */
function hasFailed(output: unknown): boolean {
  if (fieldOf(output, "success") === false) return true;
  const content = fieldOf(output, "content") ?? output;
  const texts = Array.isArray(content) ? content.map((block) => textOf(block, "text") ?? "") : [content];
  const [first, last] = [texts[0], texts.at(-1)];
  const hasFailedExit = (text: unknown) => typeof text === "string" && failedExit.test(text);
  return (
    hasFailedExit(typeof first === "string" && first.slice(0, searchedLength)) ||
    hasFailedExit(typeof last === "string" && last.slice(-searchedLength))
  );
}

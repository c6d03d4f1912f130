import type { LongLine } from "./line-reader.ts";

/** Information about a JSON-RPC message that was too large to keep, read from its two ends. */
export interface MessageInfo {
  /** Absent if the id is in the middle of the message. */
  readonly id?: string | number;
  readonly isResponse: boolean;
  readonly isNotification: boolean;
  /** True if the message has a method before its first nested value and is not a notification. */
  readonly isRequest: boolean;
}

const start = /\s*\{/y;
const key = /\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y;
const scalar = /("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)\s*(,?)/y;
/** An id at the end of the message. The last brace closes the outermost object, so this is the id of the message. */
const idAtEnd =
  /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*){0,2}\}\s*$/;

/** Reads the fields of the outermost object before its first nested value, or the id at its end. */
export function messageInfo({ head, tail }: LongLine): MessageInfo {
  const { fields, lastKey } = firstFields(head);
  const { method } = fields;
  const id = idOf(fields["id"]) ?? idOf(parseScalar(idAtEnd.exec(tail)?.[1]));
  const isResponse = method === undefined && (lastKey === "result" || lastKey === "error");
  const isNotification = typeof method === "string" && method.startsWith("notifications/");
  const isRequest = typeof method === "string" && !isNotification;
  return { ...(id !== undefined && { id }), isResponse, isNotification, isRequest };
}

interface FirstFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lastKey: string | undefined;
}

function firstFields(head: string): FirstFields {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let lastKey: string | undefined;
  let at = matchAt(start, head, 0)?.end;
  while (at !== undefined) {
    const name = matchAt(key, head, at);
    if (name === undefined) break;
    lastKey = name.groups[1];
    const value = matchAt(scalar, head, name.end);
    if (value === undefined) break;
    fields[lastKey ?? ""] = parseScalar(value.groups[1]);
    at = value.groups[2] === "," ? value.end : undefined;
  }
  return { fields, lastKey };
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  const groups = pattern.exec(text);
  return groups === null ? undefined : { groups, end: pattern.lastIndex };
}

function parseScalar(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): string | number | undefined {
  return typeof value === "string" || Number.isSafeInteger(value) ? (value as string | number) : undefined;
}

import type { Writable } from "node:stream";
import { exceededMessage, isObject, jsonValue, measure, type ValueBounds } from "@toolpacks/core";

/** Default maximum size of one message in bytes. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** Limits of every message. Deeper values overflow the stack of recursive code. Small values need much more memory than their JSON. */
export const messageBounds: ValueBounds = { maxDepth: 256, maxValues: 1_000_000 };

/** A message that exceeds a limit. */
export interface OversizedMessage extends MessageInfo {
  /** The exceeded limit: "larger than 67,108,864 bytes". */
  readonly reason: string;
}

export interface MessageListener {
  /** Gets each line within the size, without its line break. Empty lines are skipped. */
  readonly line: (line: Buffer) => void;
  readonly oversized: (message: OversizedMessage) => void;
}

/** Reads JSON-RPC messages, one per line, from chunks of bytes. A line that exceeds `maxBytes` is reported and not kept. */
export function createMessageReader(
  { line, oversized }: MessageListener,
  maxBytes: number = maxMessageBytes,
): (chunk: Buffer) => void {
  return createLineReader(maxBytes, {
    line(message) {
      if (message.length > 0) line(message);
    },
    tooLong: (ends) =>
      oversized({ ...messageInfo(ends), reason: `larger than ${maxBytes.toLocaleString("en")} bytes` }),
  });
}

/** Describes a parsed message that exceeds the bounds. Undefined for any other value. */
export function oversizedMessage(message: unknown, bounds = messageBounds): OversizedMessage | undefined {
  const { exceeded } = measure(message, bounds);
  if (exceeded === undefined) return undefined;
  const { id, method, ...fields } = isObject(message) ? message : {};
  return {
    ...describeMessage({ id, method }, "result" in fields || "error" in fields),
    reason: exceededMessage(exceeded, bounds),
  };
}

/** The two ends of a line that is longer than the limit. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

interface LineListener {
  /** Gets each complete line, without its line break. */
  readonly line: (line: Buffer) => void;
  /** Gets the ends of a line that is longer than the limit. */
  readonly tooLong: (line: LongLine) => void;
}

/** Bytes that are kept of each end of a long line. */
const edgeBytes = 2_000;
/** Maximum bytes of a line that are kept as separate parts. */
const maxPartBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Splits a byte stream into lines. Of a line longer than `maxBytes` only the two ends are kept, so memory stays bounded. */
export function createLineReader(maxBytes: number, { line, tooLong }: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  /** Replaces the parts of a long line. Joining parts at the end of the line would need twice the memory. */
  let whole: Buffer | undefined;
  let size = 0;
  let long: { head: Buffer; tail: Buffer } | undefined;

  const append = (piece: Buffer) => {
    if (long !== undefined) {
      long.tail = endOf([long.tail, piece]);
      return;
    }
    const end = size + piece.length;
    if (end > maxBytes) {
      const all = [...(whole === undefined ? parts : [whole.subarray(0, size)]), piece];
      long = { head: Buffer.concat(all, Math.min(end, edgeBytes)), tail: endOf(all) };
      parts = [];
      whole = undefined;
      return;
    }
    if (whole === undefined && end > maxPartBytes) {
      // The system reserves memory only for pages that are written.
      whole = Buffer.allocUnsafeSlow(maxBytes);
      Buffer.concat(parts).copy(whole);
      parts = [];
    }
    if (whole === undefined) parts.push(piece);
    else piece.copy(whole, size);
    size = end;
  };
  const finish = () => {
    if (long !== undefined) tooLong({ head: long.head.toString(), tail: long.tail.toString() });
    else line(withoutReturn(whole === undefined ? joinParts(parts) : whole.subarray(0, size)));
    parts = [];
    whole = undefined;
    size = 0;
    long = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      append(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
  };
}

/** Joins the parts of a line. A line of one part, which is the usual case, is not copied. */
function joinParts(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

/** The last bytes of a line. Copies only the parts that contain them. */
function endOf(parts: readonly Buffer[]): Buffer {
  let at = parts.length;
  for (let size = 0; at > 0 && size < edgeBytes; size += parts[at]?.length ?? 0) at -= 1;
  return Buffer.concat(parts.slice(at).map((part) => part.subarray(-edgeBytes))).subarray(-edgeBytes);
}

/** Information about a JSON-RPC message that was too large to keep, read from its two ends. */
export interface MessageInfo {
  /** Undefined if the id is in the middle of the message. */
  readonly id: string | number | undefined;
  readonly isResponse: boolean;
  readonly isNotification: boolean;
  /** True if the message has a method before its first nested value and is not a notification. */
  readonly isRequest: boolean;
}

const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null)`;
/** The fields before the first nested value, and the key of the field behind them. */
const start = new RegExp(String.raw`^\s*\{\s*((?:"\w*"\s*:\s*${scalar}\s*,\s*)*)(?:"(\w*)"\s*:)?`);
/** An id at the end of the message. The last brace closes the outermost object, so this is the id of the message. */
const idAtEnd =
  /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*){0,2}\}\s*$/;

/** Reads the fields of the outermost object before its first nested value, or the id at its end. */
function messageInfo({ head, tail }: LongLine): MessageInfo {
  const [, scalars = "", next] = start.exec(head) ?? [];
  const fields = jsonValue(`{${scalars.replace(/,\s*$/, "")}}`) as { id?: unknown; method?: unknown } | undefined;
  const id = idOf(fields?.id) ?? idOf(jsonValue(idAtEnd.exec(tail)?.[1] ?? ""));
  return describeMessage({ id, method: fields?.method }, next === "result" || next === "error");
}

function describeMessage(
  { id, method }: { readonly id: unknown; readonly method: unknown },
  hasResult: boolean,
): MessageInfo {
  const isNotification = typeof method === "string" && method.startsWith("notifications/");
  return {
    id: idOf(id),
    isResponse: method === undefined && hasResult,
    isNotification,
    isRequest: typeof method === "string" && !isNotification,
  };
}

function idOf(value: unknown): string | number | undefined {
  return typeof value === "string" || Number.isSafeInteger(value) ? (value as string | number) : undefined;
}

/** Resolves when a stream accepts more data or is closed. Undefined if the stream accepts data now. */
export function waitForDrain(output: Writable): Promise<void> | undefined {
  if (!output.writableNeedDrain || output.closed) return undefined;
  return new Promise((resolve) => {
    const finish = () => {
      for (const event of events) output.off(event, finish);
      resolve();
    };
    for (const event of events) output.on(event, finish);
  });
}

const events = ["drain", "close", "error"] as const;

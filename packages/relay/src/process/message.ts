import { randomUUID } from "node:crypto";
import { exceededBound, exceededMessage } from "@toolpacks/core/bounded-io";
import { LongText } from "./long-text.ts";
import type { MessageEnds } from "./message-ends.ts";
import type { CutMessage } from "./string-cutter.ts";

/** A message that is too long for memory, in a file. Its line's end is part of it, as of a short one's bytes. */
export interface LongMessage {
  /** Undefined when it could not be cut: what is left without its long strings is too long as well, or it is no JSON. */
  readonly cut: CutMessage | undefined;
  /** Its bytes, from `start` up to, not including, `end`. */
  read(start?: number, end?: number): AsyncIterable<Buffer>;
  close(): void;
  /** Whether there was no room for it, on the disk or in memory: then it cannot be read, and is known by its cut and its ends alone. */
  readonly isLost: boolean;
  readonly ends: MessageEnds;
}

/** One line as it came. */
export type Message = Buffer | LongMessage;

/** Nobody who writes a message can know it, so that no string of one is taken for a mark. */
const secret = randomUUID();
const marks = new RegExp(`${secret}:(\\d+);`);

/** What stands for a long string where JSON is held in memory. */
export function mark(index: number): string {
  return `${secret}:${index};`;
}

/** Depth alone: large values are what a relay is for. */
const depthBound = { maxDepth: 1_000, maxValues: Infinity };

/** Whether a message is nested deeper than recursive code can read. What cannot be cut is not read, and so never too deep. */
export function isTooDeep(message: Message): boolean {
  const json = Buffer.isBuffer(message) ? message : Buffer.from(message.cut?.rest ?? "");
  return exceededBound(json, depthBound) !== undefined;
}

/** The end of an error of a message that is too deep. */
export const tooDeep = exceededMessage("maxDepth", depthBound);

/** Reads a short message. Undefined for what is no JSON. */
export function parseMessage(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Reads a message that may be written again: numbers that JavaScript would write otherwise (`1.0`, 20 digits) keep their form, and long
 * strings are `LongText`. Undefined for what is no JSON or cannot be held.
 */
export function parseExactly(message: Message): unknown {
  const isShort = Buffer.isBuffer(message);
  const source = isShort ? message.toString() : message.cut?.rest;
  if (source === undefined) return undefined;
  const revive = (_: string, value: unknown, context?: { source?: string }) => {
    if (typeof value === "number" && context?.source !== undefined && context.source !== String(value)) {
      return rawNumber(context.source);
    }
    return isShort || typeof value !== "string" ? value : longTextOf(message, value);
  };
  try {
    return JSON.parse(source, revive) as unknown;
  } catch {
    return undefined;
  }
}

function longTextOf(message: LongMessage, value: string): string | LongText {
  const cut = message.cut?.cuts[Number(marks.exec(value)?.[1] ?? -1)];
  return cut === undefined
    ? value
    : new LongText((from = 0) => message.read(cut.start + from, cut.end), cut.end - cut.start);
}

/** TypeScript does not know it yet. */
const { rawJSON: rawNumber } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };

/** Writes a message as a line. */
export async function* writeMessage(message: unknown): AsyncGenerator<Buffer> {
  const texts: LongText[] = [];
  const json = JSON.stringify(message, (_, value: unknown) =>
    value instanceof LongText ? mark(texts.push(value) - 1) : value,
  );
  const parts = json.split(marks);
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) yield Buffer.from(at === parts.length - 1 ? `${part}\n` : part);
    else yield* texts[Number(part)]?.json() ?? [];
  }
}

import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { defineKind, type Store, ToolError } from "@toolpacks/core";
import { createMeasure } from "./measure.ts";
import { clipRange, wholeBytes, type ByteRange, type ValueInfo, type ValueInput } from "./value.ts";

/** The metadata of a stored value. No pack declares this kind or `valuePartKind`, so no tool reads or writes them. */
export const valueKind = defineKind({
  name: "relay_value",
  description: "A value that is kept out of the conversation.",
  schema: () =>
    z.object({
      scope: z.string().max(100).describe("its owner"),
      mimeType: z.string().max(200),
      text: z.boolean(),
      size: z.int(),
      characters: z.int(),
      lines: z.int(),
      at: z
        .number()
        .optional()
        .describe("when it was last put, in milliseconds since 1970; absent: it does not expire"),
      belongsTo: z.string().max(200).optional().describe("what it is removed with"),
      parts: z.string().max(100).describe("what the ids of its parts begin with"),
      finished: z.boolean(),
    }),
  indexes: ["at", "belongsTo"],
});

/** A piece of a value's bytes. */
export const valuePartKind = defineKind({
  name: "relay_part",
  description: "A piece of a kept value.",
  schema: () => z.object({ bytes: z.string().describe("in base64") }),
});

/** A stored value, as its record has it. */
export type StoredValue = z.output<typeof valueKind.schema>;

/** Where a value is stored, and how long it lives. */
export interface ValueTarget {
  /** The id of the value. A function is called after the last byte was read. */
  readonly id: string | (() => string);
  readonly owner: string;
  /** What the value is removed with, by `removeValuesOf`. Such a value does not expire. Default: it expires by its age. */
  readonly belongsTo?: string;
}

/** The owner of values, as their records have it: a digest of a principal or of another scope. */
export function valueOwner(scope: string): string {
  return createHash("sha256").update(scope).digest("hex").slice(0, 32);
}

/** Bytes of a value in one part. The last part may be shorter. */
const partSize = 512 * 1024;
/** Parts per transaction. Other writers can run between the transactions of a long value. */
const partsAtOnce = 16;

/** Stores a value completely or not at all. If a value with this id exists, only its age is renewed. */
export async function writeValue(store: Store, input: ValueInput, target: ValueTarget): Promise<ValueInfo> {
  const { mimeType, text } = input;
  const { owner, belongsTo } = target;
  const measure = createMeasure(text);
  const parts = randomUUID();
  const unfinished = () => {
    const { size, characters, lines } = measure;
    const about = { scope: owner, mimeType, text, size, characters, lines, parts, finished: false };
    return { ...about, at: Date.now(), belongsTo };
  };
  const whole = wholeBytes(input.data);
  const data = whole === undefined ? (input.data as AsyncIterable<Uint8Array>) : [whole];
  let waiting: Buffer[] = [];
  let written = 0;
  for await (const piece of piecesOf(data)) {
    measure.add(piece);
    waiting.push(piece);
    if (waiting.length < partsAtOnce) continue;
    await store.transaction(async (inside) => {
      await writeParts(inside, waiting, { parts, from: written });
      // If this process dies before the value is complete, a sweep finds this record.
      await inside.put(valueKind, unfinished(), { id: parts });
    });
    written += waiting.length;
    waiting = [];
  }
  const id = typeof target.id === "string" ? target.id : target.id();
  const isNew = await store.transaction(async (inside) => {
    if (written > 0) await inside.delete(valueKind, parts);
    const known = await inside.get(valueKind, id);
    if (known !== undefined) {
      if (known.data.at !== undefined) await inside.put(valueKind, { at: Date.now() }, { id, patch: true });
      return false;
    }
    await writeParts(inside, waiting, { parts, from: written });
    const { at, ...about } = unfinished();
    await inside.put(valueKind, { ...about, finished: true, ...(belongsTo === undefined && { at }) }, { id });
    return true;
  });
  if (!isNew)
    for (let number = 0; number < written; number += 1) await store.delete(valuePartKind, partId(parts, number));
  const { size, characters, lines } = measure;
  return { id, mimeType, text, size, characters, lines };
}

/** Splits bytes into parts. The last part may be shorter. */
async function* piecesOf(data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of data) {
    held.push(chunk);
    length += chunk.length;
    if (length < partSize) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; all.length - at >= partSize; at += partSize) yield all.subarray(at, at + partSize);
    held = [all.subarray(at)];
    length = all.length - at;
  }
  if (length > 0) yield Buffer.concat(held);
}

function partId(parts: string, number: number): string {
  return `${parts}:${number}`;
}

async function writeParts(
  store: Store,
  pieces: readonly Buffer[],
  { parts, from }: { readonly parts: string; readonly from: number },
): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    // A store may write without yielding to the event loop.
    if (at > 0) await new Promise(setImmediate);
    await store.put(valuePartKind, { bytes: piece.toString("base64") }, { id: partId(parts, from + at) });
  }
}

/** Streams a part of a value. @throws ToolError `not_found` when the value was removed */
export async function* readParts(
  store: Store,
  { parts, size }: Pick<StoredValue, "parts" | "size">,
  range: ByteRange = {},
): AsyncGenerator<Uint8Array> {
  const { start, end } = clipRange(range, size);
  for (let at = start; at < end;) {
    const number = Math.floor(at / partSize);
    const part = await store.get(valuePartKind, partId(parts, number));
    if (part === undefined) throw new ToolError("not_found", "the value was removed", "Make the value again.");
    const bytes = Buffer.from(part.data.bytes, "base64");
    const from = number * partSize;
    yield bytes.subarray(at - from, end - from);
    at = from + partSize;
  }
}

/** Removes a value in one transaction, so that no orphaned part is left. */
export async function removeValue(store: Store, id: string): Promise<void> {
  await store.transaction(async (inside) => {
    const query = { filter: { id }, fields: ["parts"], skipDamaged: true };
    const parts = (await inside.query(valueKind, query)).items[0]?.data.parts;
    if (parts !== undefined) for (let at = 0; await inside.delete(valuePartKind, partId(parts, at));) at += 1;
    await inside.delete(valueKind, id);
  });
}

/** Removes the values that belong to something, also unfinished ones. */
export async function removeValuesOf(store: Store, belongsTo: string): Promise<void> {
  for (;;) {
    const { items } = await store.query(valueKind, { filter: { belongsTo }, limit: 100, fields: [] });
    if (items.length === 0) return;
    for (const { id } of items) {
      await removeValue(store, id);
      await new Promise(setImmediate);
    }
  }
}

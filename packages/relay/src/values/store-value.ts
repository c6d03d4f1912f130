import { randomUUID } from "node:crypto";
import { ToolError, type Store } from "@toolpacks/core";
import { piecesOf, wholeBytes } from "./chunks.ts";
import { checkSize, type Limits } from "./limits.ts";
import { createMeasure } from "./measure.ts";
import type { RelayValueInfo, RelayValueInput } from "./relay-values.ts";
import { partId, partSize, relayPart, relayValue } from "./store-kinds.ts";
import { hashValue, valueId } from "./value-id.ts";

/** Where to store a value. */
export interface StoreTarget {
  readonly store: Store;
  readonly key: Uint8Array;
  readonly owner: string;
  readonly limits: Limits;
}

/** Parts per transaction. Other writers can run between the transactions of a long value. */
const partsAtOnce = 16;

/** Stores a value unless it exists. */
export async function storeValue(input: RelayValueInput, target: StoreTarget): Promise<RelayValueInfo> {
  const { store, key, owner, limits } = target;
  const { mimeType, text } = input;
  const whole = wholeBytes(input.data);
  if (whole !== undefined) {
    checkSize(whole.length, limits);
    const known = await renew(store, valueId(hashValue(key, input).update(whole)), limits);
    if (known !== undefined) return known;
  }
  const hash = hashValue(key, input);
  const measure = createMeasure(text);
  const parts = randomUUID();
  const about = () => {
    const { size, characters, lines } = measure;
    return { scope: owner, mimeType, text, size, characters, lines, at: Date.now(), parts };
  };
  const data = whole === undefined ? (input.data as AsyncIterable<Uint8Array>) : [whole];
  let waiting: Buffer[] = [];
  let written = 0;
  for await (const piece of piecesOf(data, partSize)) {
    hash.update(piece);
    measure.add(piece);
    checkSize(measure.size, limits);
    waiting.push(piece);
    if (waiting.length < partsAtOnce) continue;
    await store.transaction(async (inside) => {
      await writeParts(inside, waiting, { parts, from: written });
      // If this process dies before the value is complete, a sweep finds this record.
      await inside.put(relayValue, { ...about(), finished: false }, { id: parts });
    });
    written += waiting.length;
    waiting = [];
  }
  const id = valueId(hash);
  const isNew = await store.transaction(async (inside) => {
    if (written > 0) await inside.delete(relayValue, parts);
    const known = await inside.get(relayValue, id);
    if (known === undefined) await writeParts(inside, waiting, { parts, from: written });
    const at = { at: Date.now() };
    await inside.put(relayValue, known === undefined ? { ...about(), finished: true } : { ...known.data, ...at }, {
      id,
    });
    return known === undefined;
  });
  if (!isNew) for (let number = 0; number < written; number += 1) await store.delete(relayPart, partId(parts, number));
  const { size, characters, lines } = measure;
  return { id, mimeType, text, size, characters, lines };
}

async function writeParts(
  store: Store,
  pieces: readonly Buffer[],
  { parts, from }: { readonly parts: string; readonly from: number },
): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    await store.put(relayPart, { bytes: piece.toString("base64") }, { id: partId(parts, from + at) });
  }
}

/** Renews the age of an existing value and returns its info. Writes only after a tenth of the maximum age. */
async function renew(store: Store, id: string, { maxAgeMs }: Limits): Promise<RelayValueInfo | undefined> {
  const known = await store.get(relayValue, id);
  if (known === undefined) return undefined;
  const { mimeType, text, size, characters, lines, at } = known.data;
  const info = { id, mimeType, text, size, characters, lines };
  const now = Date.now();
  if (now - at < maxAgeMs / 10) return info;
  try {
    await store.put(relayValue, { at: now }, { id, patch: true });
    return info;
  } catch (error) {
    // A sweep has removed it in the meantime.
    if (ToolError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

import { createHash, randomBytes } from "node:crypto";
import { ToolError, type Store } from "@toolpacks/core";
import { clipRange } from "./chunks.ts";
import { createLimits, valueNotFound } from "./limits.ts";
import { plainType } from "./plain-type.ts";
import type { RelayLimits, RelayValues } from "./relay-values.ts";
import { partId, partSize, relayPart, relayScope, relayValue } from "./store-kinds.ts";
import { storeValue } from "./store-value.ts";
import { sweepStore } from "./sweep-store.ts";
import { isValueId } from "./value-id.ts";

export interface StoreValuesOptions extends RelayLimits {
  readonly store: Store;
  /** One scope cannot open the values of another. Default: one scope for the store's workspace. */
  readonly scope?: string;
}

const defaultMaxBytes = 256 * 1024 * 1024;

/**
 * Stores values in a store, so that all its users can open them. Nothing is written before the first value. `maxBytes` defaults
 * to 256 MiB over all workspaces.
 */
export function storeValues({ store, scope = "", ...options }: StoreValuesOptions): RelayValues {
  const limits = createLimits(options, defaultMaxBytes);
  const owner = createHash("sha256").update(scope).digest("hex").slice(0, 32);
  let secret: Promise<Uint8Array> | undefined;
  const ready = () =>
    (secret ??= scopeSecret(store, owner).catch((error: unknown) => {
      secret = undefined;
      throw error;
    }));
  const find = async (id: string) => {
    const data = isValueId(id) ? (await store.get(relayValue, id))?.data : undefined;
    if (data === undefined || data.scope !== owner || data.at < Date.now() - limits.maxAgeMs) return undefined;
    return data;
  };
  return {
    async put(value) {
      const input = { ...value, mimeType: plainType(value.mimeType, value.text) };
      const key = await ready();
      const info = await storeValue(input, { store, key, owner, limits });
      // Not awaited. The next sweep removes what this one leaves.
      if (limits.isSweepDue(info.size)) void sweepStore(store, limits).catch(() => {});
      return info;
    },
    async info(id) {
      const data = await find(id);
      if (data === undefined) return undefined;
      const { mimeType, text, size, characters, lines } = data;
      return { id, mimeType, text, size, characters, lines };
    },
    async *read(id, range = {}) {
      const data = await find(id);
      if (data === undefined) throw valueNotFound(id);
      const { start, end } = clipRange(range, data.size);
      for (let at = start; at < end;) {
        const number = Math.floor(at / partSize);
        const part = await store.get(relayPart, partId(data.parts, number));
        if (part === undefined) throw valueNotFound(id);
        const bytes = Buffer.from(part.data.bytes, "base64");
        const from = number * partSize;
        yield bytes.subarray(at - from, end - from);
        at = from + partSize;
      }
    },
    sweep: () => sweepStore(store, limits),
  };
}

/** The secret of a scope. The first process creates it; the others read it. */
async function scopeSecret(store: Store, owner: string): Promise<Uint8Array> {
  const known = await store.get(relayScope, owner);
  if (known !== undefined) return Buffer.from(known.data.secret, "base64");
  try {
    const made = await store.put(
      relayScope,
      { secret: randomBytes(32).toString("base64") },
      { id: owner, ifGeneration: 0 },
    );
    return Buffer.from(made.data.secret, "base64");
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "conflict") throw error;
    return scopeSecret(store, owner);
  }
}

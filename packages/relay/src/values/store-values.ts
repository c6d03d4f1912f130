import { randomBytes } from "node:crypto";
import { defineKind, ToolError, type Store } from "@toolpacks/core";
import {
  everyRecord,
  isValueId,
  readParts,
  removeValue,
  valueKind,
  valueOwner,
  writeValue,
  type StoredValue,
  type ValueInfo,
} from "@toolpacks/store";
import { z } from "zod";
import { contentId } from "./content-id.ts";
import { checkSize, createLimits, overdue, unfinishedMs, valueNotFound, type Aged, type Limits } from "./limits.ts";
import { plainType } from "./plain-type.ts";
import type { RelayLimits, RelayValues } from "./relay-values.ts";

export interface StoreValuesOptions extends RelayLimits {
  readonly store: Store;
  /** One scope cannot open the values of another. Default: one scope for the store's workspace. */
  readonly scope?: string;
}

/** The secret of a scope's ids. No pack declares this kind, so no tool reads it. */
const relayScope = defineKind({
  name: "relay_scope",
  description: "What the ids of a scope's values are made with.",
  schema: () => z.object({ secret: z.string().max(100) }),
});

/**
 * Stores values in a store, so that all its users can open them. Nothing is written before the first value. `maxBytes` defaults
 * to 256 MiB over all workspaces. Values of the same owner that others keep in the store, such as the results in a report, can be
 * opened too. They neither expire nor count.
 */
export function storeValues({ store, scope = "", ...options }: StoreValuesOptions): RelayValues {
  const limits = createLimits(options);
  const owner = valueOwner(scope);
  let secret: Promise<Uint8Array> | undefined;
  const ready = () =>
    (secret ??= scopeSecret(store, owner).catch((error: unknown) => {
      secret = undefined;
      throw error;
    }));
  const find = async (id: string) => {
    const data = isValueId(id) ? (await store.get(valueKind, id))?.data : undefined;
    if (data === undefined || data.scope !== owner) return undefined;
    const { at = Infinity } = data;
    return at < Date.now() - limits.maxAgeMs ? undefined : data;
  };
  return {
    async put({ data, text, ...input }) {
      const mimeType = plainType(input.mimeType, text);
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      checkSize(bytes.length, limits);
      const id = contentId(await ready(), bytes, { mimeType, text });
      const known = await renew(store, id, limits);
      if (known !== undefined) return known;
      const info = await writeValue(store, { data: bytes, mimeType, text }, { id, owner });
      // Not awaited. The next sweep removes what this one leaves.
      if (limits.isSweepDue(info.size)) void sweepStore(store, limits).catch(() => {});
      return info;
    },
    async info(id) {
      const data = await find(id);
      return data && infoOf(id, data);
    },
    async *read(id, range = {}) {
      const data = await find(id);
      if (data === undefined) throw valueNotFound(id);
      yield* readParts(store, data, range);
    },
    sweep: () => sweepStore(store, limits),
  };
}

function infoOf(id: string, { mimeType, text, size, characters, lines }: StoredValue): ValueInfo {
  return { id, mimeType, text, size, characters, lines };
}

/** Renews the age of an existing value and returns its info. Writes only after a tenth of the maximum age. */
async function renew(store: Store, id: string, { maxAgeMs }: Limits): Promise<ValueInfo | undefined> {
  const known = await store.get(valueKind, id);
  if (known === undefined) return undefined;
  const info = infoOf(id, known.data);
  const now = Date.now();
  if (now - (known.data.at ?? now) < maxAgeMs / 10) return info;
  try {
    await store.put(valueKind, { at: now }, { id, patch: true });
    return info;
  } catch (error) {
    // A sweep has removed it in the meantime.
    if (ToolError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

interface Found extends Aged {
  readonly workspace: string;
  readonly id: string;
}

/** Removes old values of all workspaces and scopes. Several processes may run it at the same time. */
async function sweepStore(store: Store, limits: Limits): Promise<void> {
  const found: Found[] = [];
  const unfinished: Found[] = [];
  const query = {
    filter: { at: { exists: true } },
    sort: ["-at"],
    everyWorkspace: true,
    fields: ["size", "at", "finished"],
    skipDamaged: true,
  };
  for await (const { workspace, id, data } of everyRecord(store, valueKind, query)) {
    const { size, at = 0, finished } = data;
    (finished ? found : unfinished).push({ workspace, id, size, at });
  }
  const abandoned = unfinished.filter(({ at }) => at < Date.now() - unfinishedMs);
  for (const { workspace, id } of [...overdue(found, limits), ...abandoned]) await removeValue(store.in(workspace), id);
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

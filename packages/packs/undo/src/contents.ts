import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Store } from "@toolpacks/core";
import { openFound } from "@toolpacks/files";
import { everyRecord, readParts, removeValue, valueKind, valueOwner, writeValue } from "@toolpacks/store";
import type { Leaf } from "./leaf.ts";

/** All contents belong to it, so that they do not expire. */
const owner = valueOwner("undo");

/** A leaf with its content, which is stored, each once. @returns the leaf alone if it is too large, or cannot be read */
export async function keepContent(local: Store, leaf: Leaf | null, at: { path: string; maxBytes: number }) {
  if (leaf?.type !== "file" || leaf.size > at.maxBytes) return leaf;
  const data = openFound(at.path, (descriptor) => readFileSync(descriptor));
  if (data === undefined) return leaf;
  const content = hash("sha256", data);
  const input = { data, mimeType: "application/octet-stream", text: false };
  await writeValue(local, input, { id: content, owner, belongsTo: owner });
  return { ...leaf, content };
}

export async function isKept(local: Store, content: string | undefined): Promise<boolean> {
  return content !== undefined && (await local.get(valueKind, content)) !== undefined;
}

/** A kept content. Undefined if it was dropped. */
export async function readContent(local: Store, content: string | undefined): Promise<Buffer | undefined> {
  const value = content === undefined ? undefined : await local.get(valueKind, content);
  return value && Buffer.concat(await Array.fromAsync(readParts(local, value.data)));
}

/** Removes the contents that no entry needs. */
export async function sweepContents(local: Store, needed: ReadonlySet<string>): Promise<void> {
  const stored = await Array.fromAsync(everyRecord(local, valueKind, { filter: { belongsTo: owner }, fields: [] }));
  for (const { id } of stored) if (!needed.has(id)) await removeValue(local, id);
}

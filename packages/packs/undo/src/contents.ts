import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Store } from "@toolpacks/core";
import { openFound } from "@toolpacks/files";
import { everyRecord, readParts, removeValue, valueKind, valueOwner, writeValue } from "@toolpacks/store";
import type { Entry } from "./entry.ts";

/** All contents belong to it, so that they do not expire. */
const owner = valueOwner("undo");

/** The old contents of an entry's files that are small enough to be kept, by their digests. */
export function contentsOf({ files = [] }: Entry) {
  return files.flatMap(({ path, before }) => {
    const isKept = before?.type === "file" && before.content !== undefined;
    return isKept ? [{ path, content: before.content, size: before.size }] : [];
  });
}

/** Stores the old contents of an entry, each once. @throws Error if a file was changed since its digest was made */
export async function keepContents(local: Store, entry: Entry): Promise<void> {
  for (const { path, content } of contentsOf(entry)) {
    const data = openFound(path, (descriptor) => readFileSync(descriptor));
    if (data === undefined || hash("sha256", data) !== content) throw new Error("another program changed it meanwhile");
    const input = { data, mimeType: "application/octet-stream", text: false };
    await writeValue(local, input, { id: content, owner, belongsTo: owner });
  }
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

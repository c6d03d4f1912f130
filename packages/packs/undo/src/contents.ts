import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Store } from "@toolpacks/core";
import { openFound } from "@toolpacks/files";
import { everyRecord, readParts, removeValue, valueKind, valueOwner, writeValue } from "@toolpacks/store";
import type { Entry } from "./entry.ts";

/** All contents belong to it, so that they do not expire. */
const owner = valueOwner("undo");

/** The digests of the old contents of an entry, with their sizes. */
export function contentsOf({ files = [] }: Entry): ReadonlyMap<string, number> {
  return new Map(
    files.flatMap(({ before }) =>
      before?.type === "file" && before.content !== undefined ? [[before.content, before.size] as const] : [],
    ),
  );
}

/** Stores the old contents of an entry, each once. @throws Error if a file was changed since its digest was made */
export async function keepContents(local: Store, { files = [] }: Entry): Promise<void> {
  for (const { path: real, before } of files) {
    if (before?.type !== "file" || before.content === undefined) continue;
    const data = openFound(real, (descriptor) => readFileSync(descriptor));
    if (data === undefined || hash("sha256", data) !== before.content)
      throw new Error("another program changed it meanwhile");
    const input = { data, mimeType: "application/octet-stream", text: false };
    await writeValue(local, input, { id: before.content, owner, belongsTo: owner });
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

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Store } from "@toolpacks/core";
import { openFound } from "@toolpacks/files";
import { readParts, valueKind, valueOwner, writeValue } from "@toolpacks/store";

/** All contents belong to it, so that they do not expire. */
const owner = valueOwner("undo");

/** The digest of a file's content. Undefined if there is no file, or it is too large. */
export function digestOf(real: string, maxBytes: number): string | undefined {
  return openFound(real, (descriptor, { size }) => (size > maxBytes ? undefined : digest(readFileSync(descriptor))));
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Stores the content of a file by its digest, once. @throws Error if the file was changed since */
export async function keepContent(local: Store, real: string, content: string): Promise<void> {
  const data = openFound(real, (descriptor) => readFileSync(descriptor));
  if (data === undefined || digest(data) !== content) throw new Error(`${real} was changed by another program`);
  const input = { data, mimeType: "application/octet-stream", text: false };
  await writeValue(local, input, { id: content, owner, belongsTo: owner });
}

export async function isKept(local: Store, content: string | undefined): Promise<boolean> {
  return content !== undefined && (await local.get(valueKind, content)) !== undefined;
}

/** A kept content. Undefined if it was dropped. */
export async function readContent(local: Store, content: string | undefined): Promise<Buffer | undefined> {
  const value = content === undefined ? undefined : await local.get(valueKind, content);
  return value && Buffer.concat(await Array.fromAsync(readParts(local, value.data)));
}

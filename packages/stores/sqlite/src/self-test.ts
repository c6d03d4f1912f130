import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineKind, errorText, ToolError, type OwnedStore } from "@toolpacks/core";
import { z } from "zod";
import { sqlite } from "./sqlite.ts";

const text = "a self test";

/** Writes a record to a new store in a temporary folder and reads it back, to test this Node.js. Returns the problems. */
export async function sqliteSelfTest(): Promise<readonly string[]> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(path.join(tmpdir(), "toolpacks-self-test-"));
    await writeAndRead(sqlite(path.join(folder, "store.db")));
    return [];
  } catch (error) {
    return [`a scratch store in ${tmpdir()} does not work: ${describe(error)}`];
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function writeAndRead(store: OwnedStore): Promise<void> {
  const kind = defineKind({
    name: "scratch",
    schema: z.object({ text: z.string() }),
    indexes: ["text"],
    text: ["text"],
  });
  try {
    const { id } = await store.put(kind, { text });
    const { items } = await store.query(kind, { filter: { text }, text });
    const read = await store.get(kind, id);
    if (read?.data.text !== text || items[0]?.id !== id) throw new Error("a record that was written is not found");
  } finally {
    await store.end();
  }
}

function describe(error: unknown): string {
  if (ToolError.is(error)) return [error.message, error.hint].filter(Boolean).join(". ");
  return errorText(error);
}

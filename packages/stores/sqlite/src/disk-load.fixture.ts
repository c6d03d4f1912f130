import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { note, storedIds } from "@toolpacks/store-sql/fixture";
import { sqlite } from "./sqlite.ts";

/**
 * A test program that runs on a small file system and prints its results as a line of JSON. `fill` writes until the disk is full, frees space and
 * continues. `open` opens a store while the disk is full. `read` uses a store whose file, folder or disk is read-only.
 */
const [folder = "", task = ""] = process.argv.slice(2);
const store = sqlite(path.join(folder, "store.db"));
const put = (number: number) =>
  store.put(note, { text: `Note ${number} ${"x".repeat(2_000)}`, number, tags: ["big"] }, { id: `n${number}` });

function errorText(error: unknown): string {
  return error instanceof ToolError ? `${error.code}: ${error.message}` : String(error);
}

async function failure(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(() => undefined, errorText);
}

async function fill(): Promise<unknown> {
  const room = path.join(folder, "room");
  writeFileSync(room, Buffer.alloc(1 << 20));
  const acknowledged: string[] = [];
  let refused: string | undefined;
  while (refused === undefined) {
    refused = await failure(put(acknowledged.length).then(({ id }) => acknowledged.push(id)));
  }
  // A transaction with several records does not fit either, and stores nothing.
  const several = await failure(
    store.transaction(async (inside) => {
      for (let at = 0; at < 200; at += 1) await inside.put(note, { text: "x".repeat(2_000) }, { id: `several${at}` });
    }),
  );
  const whileFull = await storedIds(store);
  rmSync(room);
  acknowledged.push((await put(acknowledged.length)).id);
  const there = await storedIds(store);
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !there.has(id)),
    extra: [...whileFull].filter((id) => !acknowledged.includes(id)),
    refused,
    several,
    problems: await store.check(),
  };
}

async function read(): Promise<unknown> {
  const refused = await failure(put(0));
  const found = await storedIds(store).then(({ size }) => size, errorText);
  return { refused, found };
}

/** Fills the disk except a few bytes, and opens the existing store. */
async function open(): Promise<unknown> {
  await put(0);
  await store.end();
  const room = path.join(folder, "room");
  for (let size = 1 << 20; size >= 4_096; size /= 2) {
    while (await fits(() => appendFileSync(room, Buffer.alloc(size)))) continue;
  }
  const again = sqlite(path.join(folder, "store.db"));
  const refused = await failure(again.put(note, { text: "x" }));
  rmSync(room);
  await again.put(note, { text: "y" });
  const found = await storedIds(again);
  await again.end();
  return { refused, found: found.size };
}

async function fits(work: () => void): Promise<boolean> {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const tasks: Readonly<Record<string, () => Promise<unknown>>> = { fill, open, read };
const report = await tasks[task]?.();
process.stdout.write(`${JSON.stringify(report)}\n`);
await store.end();

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ToolError, type ArchiveLine, type OwnedStore } from "@toolpacks/core";
import { settle, type Flags } from "../config/settings.ts";
import { openStore } from "../store.ts";

/**
 * `toolpacks import <file>`: what `toolpacks export` wrote, all of it or, where a line is wrong, none. With `--graph`, a file of the official
 * memory server.
 */
export async function importStore(file: string, flags: Flags & { graph?: boolean }): Promise<void> {
  const store = await openStore(await settle(flags, process.env, process.cwd()));
  try {
    process.stderr.write(`${flags.graph === true ? await importFrom(store, file) : await restore(store, file)}\n`);
  } finally {
    await store.end();
  }
}

async function restore(store: OwnedStore, file: string): Promise<string> {
  const { records } = await store.import(archiveLines(file));
  return `${records} records imported`;
}

async function importFrom(store: OwnedStore, file: string): Promise<string> {
  const { importGraph } = await import("@toolpacks/memory");
  const { entities, observations, relations, known } = await importGraph(store, readLines(file));
  return `${entities} entities, ${observations} observations and ${relations} relations imported; ${known} were known`;
}

function readLines(file: string): AsyncIterable<string> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

async function* archiveLines(file: string): AsyncGenerator<ArchiveLine> {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    if (line.trim() !== "") yield parse(line, number);
  }
}

function parse(line: string, number: number): ArchiveLine {
  try {
    return JSON.parse(line) as ArchiveLine;
  } catch (error) {
    throw new ToolError("invalid_input", `line ${number}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

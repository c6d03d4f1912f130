import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ToolError, type ArchiveLine } from "@toolpacks/core";
import { settle, type Flags } from "../config/settings.ts";
import { openStore } from "../store.ts";

/** `toolpacks import <file>`: what `toolpacks export` wrote, all of it or, where a line is wrong, none. */
export async function importStore(file: string, flags: Flags): Promise<void> {
  const store = await openStore(await settle(flags, process.env, process.cwd()));
  try {
    const { records } = await store.import(readLines(file));
    process.stderr.write(`${records} records imported\n`);
  } finally {
    await store.end();
  }
}

async function* readLines(file: string): AsyncGenerator<ArchiveLine> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
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

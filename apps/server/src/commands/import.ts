import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ToolError, type ArchiveLine } from "@toolpacks/core";
import { settle, type Flags } from "../config/settings.ts";
import { fileError } from "../file-error.ts";
import { openStore } from "../store.ts";

/** `toolpacks import <file>`: what `toolpacks export` wrote, all of it or, where a line is wrong, none. */
export async function importStore(file: string, flags: Flags): Promise<void> {
  const settings = await settle(flags, process.env, process.cwd());
  // Before the store, which would be made for nothing.
  const input = await openInput(file);
  const store = await openStore(settings);
  try {
    const { records } = await store.import(readLines(input, file));
    process.stderr.write(`${records} records imported\n`);
  } finally {
    await store.end();
  }
}

async function openInput(file: string): Promise<Readable> {
  if (file === "-") return process.stdin;
  try {
    return (await open(file)).createReadStream();
  } catch (error) {
    throw fileError(error, file);
  }
}

async function* readLines(input: Readable, file: string): AsyncGenerator<ArchiveLine> {
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() !== "") yield parse(line, number);
    }
  } catch (error) {
    throw fileError(error, file);
  }
}

function parse(line: string, number: number): ArchiveLine {
  try {
    return JSON.parse(line) as ArchiveLine;
  } catch (error) {
    throw new ToolError("invalid_input", `line ${number}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

import { readLinesAtOnce, withProgress } from "@toolpacks/command-line";
import { type ArchiveLine, ConfigurationError, errorText, type OwnedStore, ToolError } from "@toolpacks/core";
import { readSettings } from "../config/read-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { type Io, printError } from "@toolpacks/terminal";
import { silentLog } from "../log.ts";
import { planMount } from "../mount/mount-plan.ts";
import { openPlan } from "../mount/open-plan.ts";
import { openStore } from "../stores/open-store.ts";

export interface ImportFlags extends Flags {
  readonly graph?: boolean;
  readonly transcript?: boolean;
}

/**
 * `toolpacks import <file>`: imports a file of `toolpacks export`, either all of it or, if a line is invalid, nothing. With `--graph`, imports a
 * file of the official memory server; with `--transcript`, a session of Claude Code or Codex.
 */
export async function importStore(io: Io, flags: ImportFlags, file: string): Promise<void> {
  if (flags.graph === true && flags.transcript === true) {
    throw new ConfigurationError("--transcript: not allowed with --graph");
  }
  const placeFlag = flags.workspace === undefined ? "--root" : "--workspace";
  const hasPlace = flags.workspace !== undefined || flags.root !== undefined;
  if (hasPlace && flags.graph !== true && flags.transcript !== true) {
    throw new ConfigurationError(
      `${placeFlag}: requires --graph or --transcript; without them, records keep their workspace`,
    );
  }
  const settings = await readSettings(io, flags);
  if (flags.transcript === true)
    return (await import("./import-transcript.ts")).importTranscriptFile(io, settings, file);
  // Opened before the store, so that a missing file does not create an empty store.
  const lines = withProgress(io, await readLinesAtOnce(io, file));
  const store = await openStore(settings);
  try {
    printError(io, flags.graph === true ? await importGraphFile(store, lines) : await restore(settings, store, lines));
  } finally {
    await store.end();
  }
}

async function restore(settings: Settings, store: OwnedStore, lines: AsyncIterable<string>): Promise<string> {
  const mounting = await openPlan(planMount(settings), { settings, store, log: silentLog });
  await mounting.endRemotes();
  const kinds = mounting.packs.flatMap((pack) => pack.kinds);
  const { records } = await store.import(archiveLines(lines), kinds);
  return `${records} records imported`;
}

async function importGraphFile(store: OwnedStore, lines: AsyncIterable<string>): Promise<string> {
  const { importGraph } = await import("@toolpacks/memory/transfer");
  const { entities, observations, relations, known } = await importGraph(store, lines);
  return `${entities} entities, ${observations} observations and ${relations} relations imported; ${known} were known`;
}

async function* archiveLines(lines: AsyncIterable<string>): AsyncGenerator<ArchiveLine> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield parse(line, number);
  }
}

function parse(line: string, number: number): ArchiveLine {
  try {
    return JSON.parse(line) as ArchiveLine;
  } catch (error) {
    throw new ToolError("invalid_input", `line ${number}: ${errorText(error)}`);
  }
}

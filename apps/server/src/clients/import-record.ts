import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import envPaths from "env-paths";
import { z } from "zod";
import { ConfigurationError } from "../configuration-error.ts";
import { removeUnfinished, replaceFile } from "./edited-file.ts";

const changeSchema = z.object({
  file: z.string(),
  /** What it was; undefined for a file that was made. */
  backup: z.string().optional(),
  /** The hash of what the file was; undefined for a file that was made. */
  hashBefore: z.string().optional(),
  /** The hash of what it becomes. */
  hash: z.string(),
  /** Our config file, to which it points since; undefined for that file itself. */
  config: z.string().optional(),
  /** The places in it that were changed; undefined for what was or is not there. */
  edits: z.array(z.object({ at: z.array(z.string()), before: z.unknown().optional(), after: z.unknown().optional() })),
});

const recordSchema = z.object({ changes: z.array(changeSchema) });

/** What an import changed in a file, so that it can be taken back. */
export type Change = z.output<typeof changeSchema>;

const place = () => path.join(envPaths("toolpacks", { suffix: "" }).data, "import-clients.json");

/** Every change that was not taken back, newest last. @throws ConfigurationError when the record is not as it was written */
export function readRecord(): readonly Change[] {
  if (!existsSync(place())) return [];
  try {
    return recordSchema.parse(JSON.parse(readFileSync(place(), "utf8"))).changes;
  } catch {
    throw new ConfigurationError(
      `${place()} is no record of an import; what files were is beside each, .before-toolpacks`,
    );
  }
}

export function writeRecord(changes: readonly Change[]): void {
  removeUnfinished(place());
  if (changes.length === 0) rmSync(place(), { force: true });
  else replaceFile(place(), `${JSON.stringify({ changes }, undefined, 2)}\n`);
}

/** Records a change before it is made, so that a process which is killed at any step leaves what `--undo` takes back. */
export function recordChange(change: Change): void {
  writeRecord([...readRecord(), change]);
}

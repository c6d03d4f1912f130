import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { ConfigurationError } from "../configuration-error.ts";
import { dataFolder } from "../user-folders.ts";
import { removeTemporaryFiles, replaceFile } from "./user-file.ts";

/** A command that changes files of clients. */
const commandSchema = z.enum(["import-clients", "init", "hooks"]);
export type ChangingCommand = z.output<typeof commandSchema>;

/** A change of one value. */
const valueChangeSchema = z.object({
  at: z.array(z.string()),
  /** The value before and after the change; undefined when there was none. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

const changeSchema = z.object({
  by: commandSchema,
  file: z.string(),
  /** Path of the backup; undefined when the command created the file. */
  backup: z.string().optional(),
  /** Hash of the content before the change; undefined when the command created the file. */
  hashBefore: z.string().optional(),
  /** Hash of the content after the change. */
  hash: z.string(),
  /** Our config file, which the changed file now refers to; undefined for our config file itself, and for a change by `init`. */
  config: z.string().optional(),
  format: z.enum(["json", "toml", "yaml"]),
  /** The values that the change set, which can be taken back one by one in a file that was changed since. Earlier versions recorded none. */
  values: z.array(valueChangeSchema).default([]),
});

export type ValueChange = z.output<typeof valueChangeSchema>;

const recordSchema = z.object({ changes: z.array(changeSchema) });

/** A change of a file, recorded for the undo. */
export type Change = z.output<typeof changeSchema>;

const recordFile = () => path.join(dataFolder(), "client-changes.json");

/** The changes that are not undone yet, newest last. @throws ConfigurationError when the record is invalid */
export function readRecord(): readonly Change[] {
  if (!existsSync(recordFile())) return [];
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordFile(), "utf8"))).changes;
  } catch {
    throw new ConfigurationError(
      `${recordFile()} is not a valid record of changes; the backup of each file is beside it, .before-toolpacks`,
    );
  }
}

export function writeRecord(changes: readonly Change[]): void {
  removeTemporaryFiles(recordFile());
  if (changes.length === 0) rmSync(recordFile(), { force: true });
  else replaceFile(recordFile(), `${JSON.stringify({ changes }, undefined, 2)}\n`);
}

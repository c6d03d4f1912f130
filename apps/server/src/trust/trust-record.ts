import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readRegularFile, writeAtomicallySync } from "@toolpacks/files";
import { settingsFolder } from "../user-folders.ts";

const recordSchema = z.object({ file: z.string(), digest: z.string() });

/** A config file that the user trusts, and the digest of its content at that time. */
export type TrustRecord = z.output<typeof recordSchema>;

const maxRecordBytes = 65_536;

/**
 * The path of a config file with its folder's links resolved. A link as the file itself is not resolved: a project that links to a trusted file of
 * another project is not trusted.
 */
export function canonicalPath(file: string): string {
  return path.join(realpathSync(path.dirname(file)), path.basename(file));
}

/** The folder of records. Each record is a file of its own, so that processes which trust files at once do not overwrite each other. */
function recordFolder(): string {
  return path.join(settingsFolder(), "trusted");
}

function recordFile(place: string): string {
  return path.join(recordFolder(), `${createHash("sha256").update(place).digest("hex")}.json`);
}

/** Reads the record of a config file; undefined when there is none or it cannot be read. */
export function trustRecord(place: string): TrustRecord | undefined {
  const record = readRecord(recordFile(place));
  return record?.file === place ? record : undefined;
}

export function trustRecords(): readonly TrustRecord[] {
  let names: string[];
  try {
    names = readdirSync(recordFolder());
  } catch {
    return [];
  }
  const records = names
    .filter((name) => name.endsWith(".json"))
    .map((name) => readRecord(path.join(recordFolder(), name)));
  return records.filter((record) => record !== undefined).toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

function readRecord(file: string): TrustRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readRegularFile(file, maxRecordBytes).toString("utf8")));
  } catch {
    return undefined;
  }
}

/** Replaces the record of a config file atomically. Only the user can read it. */
export function writeTrust(record: TrustRecord): void {
  mkdirSync(recordFolder(), { recursive: true, mode: 0o700 });
  writeAtomicallySync(recordFile(record.file), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}

/** @returns whether there was a record */
export function removeTrust(place: string): boolean {
  const isThere = trustRecord(place) !== undefined;
  rmSync(recordFile(place), { force: true });
  return isThere;
}

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { readRegularFile, writeAtomicallySync } from "@toolpacks/files";

/** A config file that the user trusts, and the digest of its content at that time. */
export interface TrustRecord {
  readonly file: string;
  readonly digest: string;
}

const maxRecordBytes = 65_536;

/**
 * The path of a config file with its folder's links resolved. A link as the file itself is not resolved: a project that links to a trusted file of
 * another project is not trusted.
 */
export function canonicalPath(file: string): string {
  return path.join(realpathSync(path.dirname(file)), path.basename(file));
}

/** The trusted config files of a user. Each record is a file of its own, so that processes which trust files at once do not overwrite each other. */
export class TrustRecords {
  readonly #folder: string;

  constructor(settingsFolder: string) {
    this.#folder = path.join(settingsFolder, "trusted");
  }

  /** Reads the record of a config file; undefined when there is none or it cannot be read. */
  get(place: string): TrustRecord | undefined {
    const record = readRecord(this.#recordFile(place));
    return record?.file === place ? record : undefined;
  }

  all(): readonly TrustRecord[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    const records = names
      .filter((name) => name.endsWith(".json"))
      .map((name) => readRecord(path.join(this.#folder, name)));
    return records.filter((record) => record !== undefined).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** Replaces the record of a config file atomically. Only the user can read it. */
  set(record: TrustRecord): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeAtomicallySync(this.#recordFile(record.file), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  }

  /** @returns whether there was a record */
  delete(place: string): boolean {
    const isThere = this.get(place) !== undefined;
    rmSync(this.#recordFile(place), { force: true });
    return isThere;
  }

  #recordFile(place: string): string {
    return path.join(this.#folder, `${createHash("sha256").update(place).digest("hex")}.json`);
  }
}

function readRecord(file: string): TrustRecord | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file, maxRecordBytes).toString("utf8"));
    if (!isObject(value) || typeof value["file"] !== "string" || typeof value["digest"] !== "string") return undefined;
    return { file: value["file"], digest: value["digest"] };
  } catch {
    return undefined;
  }
}

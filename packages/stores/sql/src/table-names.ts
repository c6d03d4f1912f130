import { createHash } from "node:crypto";
import type { IndexedField } from "@toolpacks/core";

/** The table that holds a kind's records. A kind's name is lower-case letters, digits and underscores. */
export function recordTable(kind: string): string {
  return `record_${kind}`;
}

/** An index's name: short enough for every database, and different for different fields. */
export function indexName(kind: string, index: readonly IndexedField[]): string {
  const fields = index.map(({ path, type }) => `${path}:${type}`).join();
  const readable = index.map(({ path }) => path.replaceAll(/\W/g, "_")).join("_");
  return `${kind.slice(0, 24)}_by_${readable.slice(0, 20)}_${createHash("sha1").update(fields).digest("hex").slice(0, 8)}`;
}

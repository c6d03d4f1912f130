import { createHash } from "node:crypto";
import type { IndexedField } from "@toolpacks/core";

/**
 * The name of a table or index of a kind. The prefix and the double underscore keep it different from the names of other kinds and from names that
 * the database derives.
 */
export function kindObject(kind: string, what: string): string {
  return `kind_${kind}__${what}`;
}

/** The table that holds a kind's records. A kind's name is lower-case letters, digits and underscores. */
export function recordTable(kind: string): string {
  return kindObject(kind, "record");
}

/** The name of an index: short enough for every database, and unique for its fields. */
export function indexName(kind: string, index: readonly IndexedField[]): string {
  const fields = index.map(({ path, type }) => `${path}:${type}`).join();
  const readable = index.map(({ path }) => path.replaceAll(/\W/g, "_")).join("_");
  const hash = createHash("sha1")
    .update(JSON.stringify([kind, fields]))
    .digest("hex")
    .slice(0, 8);
  return `kind_${kind.slice(0, 20)}__by_${readable.slice(0, 20)}_${hash}`;
}

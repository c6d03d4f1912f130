import type { RecordData } from "@toolpacks/core";
import type { Row } from "@toolpacks/core/store";
import { damagedError } from "./sqlite-error.ts";

/** Converts the columns of a record to a row. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: parseStored(row["data"]) as RecordData,
    generation: Number(row["generation"]),
  };
}

/** Parses stored JSON. @throws ToolError `unavailable` when a damaged file makes it invalid */
export function parseStored(json: unknown): unknown {
  try {
    return JSON.parse(String(json)) as unknown;
  } catch (error) {
    throw damagedError(error);
  }
}

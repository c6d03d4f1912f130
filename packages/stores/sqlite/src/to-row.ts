import type { RecordData } from "@toolpacks/core";
import type { Row } from "@toolpacks/core/store";
import { damagedError } from "./sqlite-error.ts";

/** A record's columns as the store knows it. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: parseStored(row["data"]) as RecordData,
    generation: Number(row["generation"]),
  };
}

/** Reads JSON that the store has written. @throws ToolError `unavailable` when a damaged file made something else of it */
export function parseStored(json: unknown): unknown {
  try {
    return JSON.parse(String(json)) as unknown;
  } catch (error) {
    throw damagedError(error);
  }
}

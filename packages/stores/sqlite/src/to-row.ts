import type { RecordData } from "@toolpacks/core";
import type { Row } from "@toolpacks/core/store";

/** A record's columns as the store knows it. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: JSON.parse(String(row["data"])) as RecordData,
    generation: Number(row["generation"]),
  };
}

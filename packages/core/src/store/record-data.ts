import { ToolError } from "../tool-error.ts";
import type { RecordData } from "./kind.ts";
import type { PreparedKind } from "./kind-layout.ts";
import { valueAt } from "./value-at.ts";

const mostBytes = 16 * 1024 * 1024;
const mostIndexedBytes = 1_000;

/** A record that may be written: as JSON, and as that JSON reads back. */
export interface CheckedRecord {
  readonly json: string;
  readonly data: RecordData;
}

/** @throws ToolError `invalid_input` naming each wrong field, `too_large` */
export async function checkRecord(kind: PreparedKind, record: unknown): Promise<CheckedRecord> {
  const checked = await kind.schema.check(record);
  if (!checked.ok) {
    const hint = `tool_describe with kind ${JSON.stringify(kind.kind.name)} explains each field.`;
    throw new ToolError("invalid_input", checked.message.replaceAll(/(^|; )args: /g, "$1record: "), hint);
  }
  return storableRecord(kind, checked.value as RecordData);
}

/** What no schema says: a record must be JSON that every database can hold. */
export function storableRecord(kind: PreparedKind, record: RecordData): CheckedRecord {
  const json = JSON.stringify(record);
  if (json.length > mostBytes) {
    throw new ToolError(
      "too_large",
      `record: expected at most ${mostBytes} characters of JSON, received ${json.length}`,
    );
  }
  // JSON.stringify escapes exactly these two; an even number of backslashes before one is text that looks like it.
  if (json.includes("\\u") && /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json)) {
    const field = Object.keys(record).find((name) => /\\u(?:0000|d[89a-f])/.test(JSON.stringify(record[name]) ?? ""));
    throw new ToolError(
      "invalid_input",
      `${field}: holds U+0000 or half a surrogate pair, which cannot be stored as text`,
    );
  }
  const data = JSON.parse(json) as RecordData;
  for (const { path } of kind.fields.values()) {
    const value = valueAt(data, path);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== "string" || Buffer.byteLength(item) <= mostIndexedBytes) continue;
      throw new ToolError("too_large", `${path}: it is indexed, and may take at most ${mostIndexedBytes} bytes`);
    }
  }
  return { json, data };
}

/** The fields given over those that are there; `null` unsets one. */
export function patchRecord(data: RecordData, patch: RecordData): RecordData {
  return Object.fromEntries(
    Object.entries({ ...data, ...patch }).filter(([, value]) => value !== null && value !== undefined),
  );
}

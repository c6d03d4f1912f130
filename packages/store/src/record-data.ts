import { measure, type RecordData, reservedFields, ToolError } from "@toolpacks/core";
import { holdsUnstorableText } from "./holds-unstorable-text.ts";
import type { KindLayout } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { valueAt } from "./value-at.ts";

const maxBytes = 16 * 1024 * 1024;
const maxIndexedBytes = 1_000;
/** Maximum bytes of all fields of one index together, which is the limit of PostgreSQL's indexes. */
const maxBytesPerIndex = 2_600;
/** Maximum nesting depth of objects and arrays. SQLite's JSON functions allow 1,000. */
const maxDepth = 200;

/** A validated record, as JSON and as the value parsed from this JSON. */
export interface CheckedRecord {
  readonly json: string;
  readonly data: RecordData;
}

/** Validates a record. @throws ToolError `invalid_input` naming each wrong field, or `too_large` */
export async function checkRecord(kind: CompiledKind, record: unknown): Promise<CheckedRecord> {
  const checked = await kind.schema.check(record);
  if (!checked.ok) {
    const { wrongRecord } = await import("./wrong-record.ts");
    throw wrongRecord(kind.kind.name, checked.message, kind.schema.full());
  }
  return storableRecord(kind.layout, checked.value as RecordData);
}

/** Whether a record is nested deeper than a store allows. */
export function isTooDeep(record: RecordData): boolean {
  return measure(record, { maxDepth }).exceeded !== undefined;
}

/** Checks that every database can store a record, in addition to its schema. */
export function storableRecord({ indexes }: KindLayout, record: RecordData): CheckedRecord {
  const reserved = reservedFields.find((field) => Object.hasOwn(record, field));
  if (reserved !== undefined) {
    throw new ToolError("invalid_input", `${reserved}: is a field of the store; use another name`);
  }
  if (isTooDeep(record)) {
    throw new ToolError("invalid_input", `record: expected objects and arrays at most ${maxDepth} deep`);
  }
  const json = JSON.stringify(record);
  if (json.length > maxBytes) {
    throw new ToolError(
      "too_large",
      `record: expected at most ${maxBytes} characters of JSON, received ${json.length}`,
    );
  }
  if (holdsUnstorableText(json)) {
    const field = Object.keys(record).find((name) => holdsUnstorableText(JSON.stringify(record[name]) ?? ""));
    throw new ToolError(
      "invalid_input",
      `${field}: holds U+0000 or half a surrogate pair, which cannot be stored as text`,
    );
  }
  const data = JSON.parse(json) as RecordData;
  for (const { path } of indexes.flat()) {
    const value = valueAt(data, path);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== "string" || Buffer.byteLength(item) <= maxIndexedBytes) continue;
      throw new ToolError("too_large", `${path}: it is indexed, and may take at most ${maxIndexedBytes} bytes`);
    }
  }
  for (const index of indexes) {
    const bytes = index.reduce((sum, { path }) => sum + byteLength(valueAt(data, path)), 0);
    if (index.length === 1 || bytes <= maxBytesPerIndex) continue;
    const fields = index.map(({ path }) => path).join(", ");
    throw new ToolError("too_large", `${fields}: are indexed together, and may take at most ${maxBytesPerIndex} bytes`);
  }
  return { json, data };
}

function byteLength(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}

/** Applies a patch to a record's data. `null` removes a field. */
export function patchRecord(data: RecordData, patch: RecordData): RecordData {
  const unset = (name: string) => Object.hasOwn(patch, name) && (patch[name] === null || patch[name] === undefined);
  return Object.fromEntries(Object.entries({ ...data, ...patch }).filter(([name]) => !unset(name)));
}

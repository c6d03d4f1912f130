import { quoteName, visibleJson } from "../../roots/quote-name.ts";
import type { Kind, RecordData } from "../store.ts";

/** A list shows no more of a text than this. */
const maxTextLength = 160;

/** A record's summary fields, long texts cut. */
export function summarize(kind: Kind, data: RecordData): Record<string, unknown> {
  return Object.fromEntries(
    kind.summary.flatMap((field) => (Object.hasOwn(data, field) ? [[field, clip(data[field])]] : [])),
  );
}

/** One line: the id, then each field; the first text stands bare, since it is what the record is about. */
export function renderRecord(record: RecordData): string {
  const { id, ...fields } = record;
  const bare = Object.entries(fields).find(([, value]) => typeof value === "string")?.[0];
  const parts = Object.entries(fields).map(([name, value]) => {
    if (name === bare) return quoteName(String(value));
    const isPlain = typeof value === "string" && /^[^\s"=,]+$/.test(value);
    return `${name}=${isPlain ? quoteName(value) : visibleJson(value)}`;
  });
  return [String(id), ...parts].join(" ");
}

function clip(value: unknown): unknown {
  if (typeof value !== "string" || value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength).toWellFormed()}…`;
}

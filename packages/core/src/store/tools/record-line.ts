import type { Kind, RecordData } from "../kind.ts";

/** A list shows no more of a text than this. */
const longestText = 160;

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
    const shown = typeof value === "string" && /^[^\s"=,]+$/.test(value) ? value : JSON.stringify(value);
    return name === bare ? oneLine(String(value)) : `${name}=${shown}`;
  });
  return [String(id), ...parts].join(" ");
}

function clip(value: unknown): unknown {
  if (typeof value !== "string" || value.length <= longestText) return value;
  return `${value.slice(0, longestText).toWellFormed()}…`;
}

/** A text that would break the line, or that controls a terminal, is shown quoted. */
function oneLine(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}

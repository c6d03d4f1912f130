import { quoteName, visibleJson, type Kind, type RecordData } from "@toolpacks/core";

/** Maximum length of a text in a list. */
const maxTextLength = 160;

/** The summary fields of a record, with long texts cut. */
export function summarize(kind: Kind, data: RecordData): Record<string, unknown> {
  return Object.fromEntries(
    kind.summary.flatMap((field) => (Object.hasOwn(data, field) ? [[field, clip(data[field])]] : [])),
  );
}

/** Renders a record as one line: the id, then the fields. The first text has no field name, because it describes the record. */
export function renderRecord(record: RecordData): string {
  const { id, ...fields } = record;
  const mainField = Object.entries(fields).find(([, value]) => typeof value === "string")?.[0];
  const parts = Object.entries(fields).map(([name, value]) => {
    if (name === mainField) return quoteName(String(value));
    const isPlain = typeof value === "string" && /^[^\s"=,]+$/.test(value);
    return `${name}=${isPlain ? quoteName(value) : visibleJson(value)}`;
  });
  return [String(id), ...parts].join(" ");
}

function clip(value: unknown): unknown {
  if (typeof value !== "string" || value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength).toWellFormed()}…`;
}

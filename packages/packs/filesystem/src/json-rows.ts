import { isObject, renderFailure, ToolError, visibleText, quoteName, jsonValue } from "@toolpacks/core";
import type { FilesystemContext } from "./context.ts";
import { markdownTable, valueIn, type Row } from "./rows.ts";
import { readText } from "./text-file.ts";

/** Maximum size of one JSON file. */
const maxFileBytes = 4 * 1024 * 1024;

/** The row of one file. */
type FileRow = Row & { readonly path: string };

interface JsonRowsOptions {
  /** Dotted names of values. */
  readonly fields: readonly string[];
  readonly signal: AbortSignal;
}

/** Reads fields of JSON files: one row for each file with its `path`, named or not. A field that a file does not have is null. A file that is not JSON has an `error`. */
export async function jsonRows(
  context: FilesystemContext,
  paths: readonly string[],
  { fields: named, signal }: JsonRowsOptions,
): Promise<FileRow[]> {
  const fields = named.filter((field) => field !== "path");
  if (fields.includes("error"))
    throw new ToolError("invalid_input", "fields: error is a column of its own, read the file without fields");
  let left = context.maxReadBytes;
  const rows: FileRow[] = [];
  for (const path of paths) {
    const row = left > 0 ? await readRow(context, path, { fields, signal }) : fullRow(path);
    left -= Buffer.byteLength(JSON.stringify(row));
    rows.push(left > 0 ? row : fullRow(path));
  }
  return rows;
}

async function readRow(
  { roots }: FilesystemContext,
  path: string,
  { fields, signal }: JsonRowsOptions,
): Promise<FileRow> {
  try {
    let row: FileRow = { path };
    await roots.openFile(path, async (file, { size }, shown) => {
      signal.throwIfAborted();
      if (size > maxFileBytes)
        throw new ToolError("too_large", `${size} bytes; JSON files are read up to ${maxFileBytes}`);
      const { text } = await readText({ file, size, shown, range: {}, maxBytes: maxFileBytes, signal });
      const value = parseObject(text);
      row = { path: shown, ...Object.fromEntries(fields.map((field) => [field, valueIn(value, field) ?? null])) };
    });
    return row;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { path, error: renderFailure(error) };
  }
}

function parseObject(text: string): Row {
  const value = jsonValue(text);
  if (isObject(value)) return value;
  throw new ToolError("invalid_input", "expected a JSON object");
}

function fullRow(path: string): FileRow {
  return { path, error: "too_large: the result is full; read this file in another call" };
}

/** Renders rows of files as a table for a model. */
export function renderJsonRows(rows: readonly FileRow[]): string {
  return markdownTable(rows.map(({ path, ...values }) => ({ path: quoteName(path), ...visible(values) }))).trimEnd();
}

function visible(values: Row): Row {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? visibleText(value.replaceAll(/\s+/g, " ")) : value,
    ]),
  );
}

import { ToolError, type Store } from "@toolpacks/core";
import { damagedRecord } from "@toolpacks/core/store";
import { z } from "zod";
import { jsonSize } from "../expressions/json-size.ts";
import { yieldToEventLoop } from "../expressions/short-turns.ts";
import { jsonText } from "./json-text.ts";
import { reportPartKind } from "./kept-kinds.ts";

/** Maximum characters of JSON in the step's own record. */
const maxInline = 20_000;
/** Characters of JSON in one part. A record may hold 16 million. */
const partLength = 1_000_000;
const maxCharacters = 64_000_000;

/** @throws ToolError `too_large` for a result that is too large for a report */
export function toKeptJson(result: unknown): string {
  // The size is checked first: a list that occurs many times may not fit into memory as text.
  if (jsonSize(result, maxCharacters) <= maxCharacters) {
    const json = JSON.stringify(result) ?? "null";
    if (json.length <= maxCharacters) return json;
  }
  const problem = `the result is more than the ${maxCharacters} characters of JSON that a report can keep`;
  throw new ToolError("too_large", problem, "Ask for less of it.");
}

export function isLong(json: string): boolean {
  return json.length > maxInline;
}

/** The place of a long result: `report:<generation>/<step>`. */
export function handleOf(report: number, path: string): string {
  return `report:${report}/${path}`;
}

export function readHandle(handle: string): { readonly report: number; readonly path: string } {
  const match = /^report:(\d+)\/(.+)$/s.exec(handle);
  if (match === null) throw new Error(`not a handle: ${handle}`);
  return { report: Number(match[1]), path: match[2] ?? "" };
}

/** Writes a long result in parts. */
export async function writeParts(
  store: Store,
  { report, path }: ReturnType<typeof readHandle>,
  json: string,
): Promise<void> {
  let at = 0;
  for (let part = 0; at < json.length; part += 1) {
    let end = Math.min(json.length, at + partLength);
    // A surrogate pair must not be split.
    if (end < json.length && /[\uD800-\uDBFF]/.test(json[end - 1] ?? "")) end -= 1;
    await yieldToEventLoop();
    await store.put(reportPartKind, { report, key: partKey(path, part), text: json.slice(at, end) });
    at = end;
  }
}

/** Writes a long result and removes earlier ones of the same place. */
export async function replaceParts(store: Store, place: ReturnType<typeof readHandle>, json: string): Promise<void> {
  const { report, path } = place;
  for (let part = 0; ; part += 1) {
    const filter = { report, key: partKey(path, part) };
    const { items } = await store.query(reportPartKind, { filter, limit: 1_000, fields: [] });
    if (items.length === 0) break;
    for (const { id } of items) await store.delete(reportPartKind, id);
  }
  await writeParts(store, place, json);
}

/** The JSON of a long result with `length` characters. If the step ran several times, it is the last result. */
export async function readParts(store: Store, handle: string, size: number): Promise<string> {
  const { report, path } = readHandle(handle);
  let json = "";
  for (let part = 0; json.length < size; part += 1) {
    await yieldToEventLoop();
    const filter = { report, key: partKey(path, part) };
    // All have the same key. The index gives the newest.
    const { items } = await store.query(reportPartKind, { filter, sort: ["-key"], limit: 1 });
    const text = items[0]?.data.text;
    if (text === undefined) break;
    json += text;
  }
  if (json === "") throw new ToolError("not_found", `${handle}: nothing is kept there`);
  if (!z.safeParse(jsonText(), json).success) throw damagedRecord("report_part", handle, "its parts are not JSON");
  return json;
}

function partKey(path: string, part: number): string {
  return `${path}#${String(part).padStart(4, "0")}`;
}

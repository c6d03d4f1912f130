import { ToolError, type Store } from "@toolpacks/core";
import { damagedRecord, newValueId, readParts, removeValuesOf, valueKind, writeValue } from "@toolpacks/store";
import { z } from "zod";
import { jsonSize } from "@toolpacks/expressions";
import { jsonText, maskJson } from "./json-text.ts";

const maxCharacters = 64_000_000;

/** @throws ToolError `too_large` for a result that is too large for a report */
export function toKeptJson(result: unknown): string {
  // The size is checked first: a list that occurs many times may not fit into memory as text.
  if (jsonSize(result, maxCharacters) <= maxCharacters) {
    const json = JSON.stringify(result) ?? "null";
    if (json.length <= maxCharacters) return json;
  }
  const problem = `the result is more than the ${maxCharacters} characters of JSON that a report can keep`;
  throw new ToolError("too_large", problem, "Request a shorter result.");
}

const scheme = "relay://";

/** A handle for a long result. The relay opens it too, where the store has the report. */
export function newHandle(): string {
  return `${scheme}${newValueId()}`;
}

/** A long result. A handle opens the masked result. */
export interface LongResult {
  readonly handle: string;
  readonly masked: string;
  /** The JSON with secrets, for a run that resumes this one. Absent when there are none, or it is not needed. */
  readonly raw?: string;
}

/** @param keepsRaw whether a run that resumes this one may need the result */
export function longResult(handle: string, json: string, keepsRaw: boolean): LongResult {
  const masked = maskJson(json);
  return { handle, masked, ...(keepsRaw && masked !== json && { raw: json }) };
}

/** What the results of a report belong to: they are removed with it. */
const resultsOf = (report: string) => `report:${report}`;
const rawResultsOf = (report: string) => `report:${report}:raw`;

/** The id of the value with secrets. It is no handle's id, and no principal owns the value, so only a resumed run reads it. */
const rawId = (handle: string) => `${idOf(handle)}:raw`;

/** @param owner of the run: `valueOwner` of its principal */
export async function writeResult(
  store: Store,
  { handle, masked, raw }: LongResult,
  { report, owner }: { readonly report: string; readonly owner: string },
): Promise<void> {
  const value = { mimeType: "application/json", text: true };
  const own = { id: idOf(handle), owner, belongsTo: resultsOf(report) };
  await writeValue(store, { ...value, data: masked }, own);
  if (raw === undefined) return;
  const hidden = { id: rawId(handle), owner: "report", belongsTo: rawResultsOf(report) };
  await writeValue(store, { ...value, data: raw }, hidden);
}

/** The JSON of a long result, with secrets masked. @throws ToolError `not_found` */
export async function readMasked(store: Store, handle: string): Promise<string> {
  const json = await readJson(store, idOf(handle));
  if (json !== undefined) return json;
  throw new ToolError("not_found", `${handle}: no result has this handle`);
}

/** The JSON of a long result, with its secrets if they are still kept. @throws ToolError `not_found` */
export async function readRaw(store: Store, handle: string): Promise<string> {
  return (await readJson(store, rawId(handle))) ?? readMasked(store, handle);
}

/** Reads a value that belongs to a report. An imported report may name any other value, which it does not open. */
async function readJson(store: Store, id: string): Promise<string | undefined> {
  const value = await store.get(valueKind, id);
  if (value?.data.belongsTo?.startsWith("report:") !== true) return undefined;
  const chunks = await Array.fromAsync(readParts(store, value.data));
  const json = Buffer.concat(chunks).toString();
  if (!z.safeParse(jsonText(), json).success) throw damagedRecord("relay_value", id, "its parts are not JSON");
  return json;
}

/** Removes the results with secrets of a report. */
export function removeRaw(store: Store, report: string): Promise<void> {
  return removeValuesOf(store, rawResultsOf(report));
}

/** Removes all long results of a report. */
export async function removeResults(store: Store, report: string): Promise<void> {
  await removeValuesOf(store, resultsOf(report));
  await removeRaw(store, report);
}

function idOf(handle: string): string {
  return handle.slice(scheme.length);
}

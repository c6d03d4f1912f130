import { setTimeout as wait } from "node:timers/promises";
import { ToolError, type Store } from "@toolpacks/core";
import { newValueId, readParts, removeValuesOf, valueKind, writeValue } from "@toolpacks/store";
import type { RoundResponse } from "@toolpacks/surface";
import { questionKind, type QuestionRecord } from "./replica-kinds.ts";

/** Maximum characters of an outcome in the record of its question. A longer one is a value in parts. */
const maxInRecord = 100_000;
/** Time allowed for the other process to read an outcome, in ms. */
const doneMs = 300_000;
const attempts = 10;
const attemptDelayMs = 1_000;

/** Stores the result of a call, or its next question, for the process that wrote the answer. Nothing is stored if that process has given up. */
export async function writeOutcome(store: Store, { id, data }: QuestionRecord, response: RoundResponse): Promise<void> {
  const json = JSON.stringify(response);
  await whileUnavailable(async () => {
    const stored =
      json.length <= maxInRecord
        ? { outcome: json }
        : { value: await writeLong(store, json, { id, owner: data.owner }) };
    const isExpected = await store.transaction(async (inside) => {
      const status = (await inside.get(questionKind, id))?.data.status;
      if (status !== "running") return status === "done";
      const patch = { status: "done" as const, expiresAt: Date.now() + doneMs, ...stored };
      await inside.put(questionKind, patch, { id, patch: true });
      return true;
    });
    if (!isExpected) await removeQuestion(store, id);
  });
}

async function writeLong(
  store: Store,
  json: string,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<string> {
  const input = { data: json, mimeType: "application/json", text: true };
  return (await writeValue(store, input, { id: newValueId(), owner, belongsTo: id })).id;
}

/** Reads the outcome of a question that is done. */
export async function readOutcome(store: Store, { data }: QuestionRecord): Promise<RoundResponse> {
  return JSON.parse(data.outcome ?? (await readLong(store, data))) as RoundResponse;
}

async function readLong(store: Store, { value = "", owner }: QuestionRecord["data"]): Promise<string> {
  const stored = await store.get(valueKind, value);
  if (stored?.data.scope !== owner) throw new ToolError("not_found", "the result of the call was removed");
  return Buffer.concat(await Array.fromAsync(readParts(store, stored.data))).toString();
}

/** Removes a question with its outcome. */
export async function removeQuestion(store: Store, id: string): Promise<void> {
  await store.delete(questionKind, id);
  await removeValuesOf(store, id);
}

/** Repeats work while the store is unavailable, because the outcome of a call exists only here. */
async function whileUnavailable(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !ToolError.is(error) || error.code !== "unavailable") throw error;
      await wait(attemptDelayMs, undefined, { ref: false });
    }
  }
}

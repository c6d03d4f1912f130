import { everyRecord, type Store } from "@toolpacks/core";
import { mayHoldSecret, maskText, maskValue } from "@toolpacks/core/mask-secrets";
import { yieldToEventLoop } from "../expressions/short-turns.ts";
import { type Entry, entrySchema } from "./entry.ts";
import { reportStepKind } from "./kept-kinds.ts";
import { readHandle, readParts, replaceParts } from "./kept-result.ts";
import { reportKind, type ReportStatus } from "./report-kind.ts";
import type { UnwrittenStep } from "./unwritten-step.ts";

/** Statuses of runs that cannot be resumed: their results are not needed any more. */
const finished: ReadonlySet<ReportStatus> = new Set(["ok", "dry", "nothing_ran"]);

/** Whether secrets are masked in the report of a run with this status. A run that can be resumed needs its input and results. */
export function isMaskedAt(status: ReportStatus): boolean {
  return finished.has(status);
}

/**
 * Masks secrets in JSON. Spaces keep its length, since the step records it. If masking makes the JSON longer, the whole value
 * is masked.
 */
export function maskJson(json: string): string {
  if (!mayHoldSecret(json)) return json;
  const masked = JSON.stringify(maskValue(JSON.parse(json)));
  if (masked.length > json.length) return JSON.stringify("***").padEnd(json.length);
  return masked.padEnd(json.length);
}

/** An entry with masked secrets. */
export function maskEntry(entry: Entry): Entry {
  const { summary, reason, error, params } = entry;
  return {
    ...entry,
    ...(summary !== undefined && { summary: maskText(summary) }),
    ...(reason !== undefined && { reason: maskText(reason) }),
    ...(error && {
      error: {
        ...error,
        message: maskText(error.message),
        ...(error.hint !== undefined && { hint: maskText(error.hint) }),
      },
    }),
    ...(params !== undefined && { params: maskValue(params) }),
  };
}

export function maskStep({ entry, order, json }: UnwrittenStep): UnwrittenStep {
  return { entry: maskEntry(entry), order, json: json === undefined ? undefined : maskJson(json) };
}

/** Maximum number of resumed runs that are masked when the last one ends. */
const maxResumed = 100;

/** Masks the stored steps of a run. */
export async function maskSteps(store: Store, run: number): Promise<void> {
  // The last run of a step wrote the size of its parts.
  const sizes = new Map<string, number>();
  const query = { filter: { report: run }, sort: ["path"], pageSize: 100 };
  for await (const step of everyRecord(store, reportStepKind, query)) {
    await yieldToEventLoop();
    const { entry: entryJson, result } = step.data;
    const entry = entrySchema.parse(JSON.parse(entryJson));
    const masked = {
      entry: JSON.stringify(maskEntry(entry)),
      ...(result !== undefined && { result: maskJson(result) }),
    };
    if (masked.entry !== entryJson || masked.result !== result) {
      await store.put(reportStepKind, masked, { id: step.id, patch: true });
    }
    // The result of a step from another report is stored there, and that run may still need it.
    const { handle, size = 0 } = entry;
    if (handle !== undefined && readHandle(handle).report === run) sizes.set(handle, size);
  }
  for (const [handle, size] of sizes) await maskParts(store, handle, size);
}

/**
 * Masks the reports of the runs that this run resumed, also indirectly. Imported reports may form long chains or cycles, so it
 * uses no transaction, visits each report once, and stops at a limit.
 */
export async function maskResumed(store: Store, run: number): Promise<void> {
  const visited = new Set([run]);
  for (let at = (await readHead(store, run))?.data.resumes; at !== undefined;) {
    if (visited.has(at) || visited.size > maxResumed) return;
    visited.add(at);
    const head: Awaited<ReturnType<typeof readHead>> = await readHead(store, at);
    if (head === undefined) return;
    await maskSteps(store, at);
    await maskHead(store, at, head.data);
    at = head.data.resumes;
  }
}

function readHead(store: Store, run: number) {
  return store.get(reportKind, String(run));
}

async function maskHead(
  store: Store,
  run: number,
  {
    plan,
    steps,
    reason,
  }: { readonly plan: string; readonly steps?: string | undefined; readonly reason?: string | undefined },
): Promise<void> {
  const masked = {
    plan: maskJson(plan),
    ...(steps !== undefined && { steps: maskKept(steps) }),
    ...(reason !== undefined && { reason: maskText(reason) }),
  };
  await store.put(reportKind, { ...masked, masked: true }, { id: String(run), patch: true });
}

/** Steps in the report's own record. Their results are JSON in JSON. */
function maskKept(steps: string): string {
  const kept = JSON.parse(steps) as readonly { readonly entry: Entry; readonly result?: string }[];
  return JSON.stringify(
    kept.map((step) => ({
      ...step,
      entry: maskEntry(step.entry),
      ...(step.result !== undefined && { result: maskJson(step.result) }),
    })),
  );
}

async function maskParts(store: Store, handle: string, size: number): Promise<void> {
  const json = await readParts(store, handle, size);
  await yieldToEventLoop();
  const masked = maskJson(json);
  if (masked !== json) await store.transaction((inside) => replaceParts(inside, readHandle(handle), masked));
}

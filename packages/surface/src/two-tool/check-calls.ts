import {
  handleIn,
  holdsHandle,
  type CatalogEntry,
  type ErrorCode,
  type Intent,
  type ToolContext,
} from "@toolpacks/core";
import { signature } from "../signature.ts";
import { earlierResults, type EarlierResult } from "./earlier-results.ts";
import { findTool } from "./pack-tools.ts";
import type { CallResult } from "./call-result.ts";
import type { TwoTools } from "./two-tools.ts";

export const maxCalls = 50;

/** A call as the model requested it. */
export interface RequestedCall {
  readonly pack: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly continueOnFailure?: boolean | undefined;
}

/** A call that passed the checks. */
export interface CheckedCall {
  readonly entry: CatalogEntry;
  /** Arguments with the fields from the intent. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Places of the arguments that get results of earlier calls. */
  readonly from: readonly EarlierResult[];
  readonly continueOnFailure: boolean;
}

type CheckResult =
  | { readonly ok: true; readonly calls: readonly CheckedCall[] }
  | { readonly ok: false; readonly results: readonly CallResult[] };

interface Batch {
  readonly caller: ToolContext;
  readonly intent: Intent;
  readonly strategy: "serial" | "parallel";
}

type CheckOptions = Pick<TwoTools, "packs" | "checkHandles">;

interface Problem {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly hint?: string;
}

/** Checks every call. If one is invalid, none may run, and each gets a result: its problem, or that nothing ran. */
export async function checkCalls(
  twoTools: CheckOptions,
  calls: readonly RequestedCall[],
  batch: Batch,
): Promise<CheckResult> {
  const checked = await Promise.all(calls.map((call, at) => checkCall(twoTools, { call, at }, batch)));
  const wrong = checked.findIndex((one) => "reason" in one);
  if (wrong < 0) return { ok: true, calls: checked.filter((one) => "entry" in one) };
  const results = checked.map((one, at): CallResult => {
    const tool = calledName(calls[at]);
    if ("reason" in one) return { tool, status: "failed", ...one };
    return { tool, status: "not_run", reason: `call ${wrong} is wrong, so none ran` };
  });
  return { ok: false, results };
}

async function checkCall(
  { packs, checkHandles }: CheckOptions,
  { call, at }: { readonly call: RequestedCall; readonly at: number },
  { caller, intent, strategy }: Batch,
): Promise<CheckedCall | Problem> {
  const found = findTool(packs, call.pack, call.tool);
  if ("unknown" in found) return { code: "not_found", reason: found.unknown };
  const { entry } = found;
  const from = earlierResults(call.params);
  const wrong = from.find((one) => one.call >= at);
  if (wrong !== undefined) {
    return {
      code: "invalid_input",
      reason: `params.${wrong.at.join(".")}: $from takes the place of an earlier call, below ${at}`,
    };
  }
  if (from.length > 0 && strategy === "parallel") {
    return {
      code: "invalid_input",
      reason: "$from: calls that run in parallel cannot wait for one another; use serial",
    };
  }
  const args = { ...fromIntent(entry, intent), ...call.params };
  const handleProblem = holdsHandle(args) ? await checkHandles(args, caller) : undefined;
  if (handleProblem !== undefined) {
    return {
      code: handleProblem.code,
      reason: handleProblem.message,
      ...(handleProblem.hint !== undefined && { hint: handleProblem.hint }),
    };
  }
  const problem = await problemOf(entry, args, from);
  if (problem !== undefined) return { code: "invalid_input", reason: problem, hint: `Call ${signature(entry.tool)}` };
  return { entry, args, from, continueOnFailure: call.continueOnFailure ?? false };
}

function fromIntent({ tool }: CatalogEntry, intent: Intent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tool.fromIntent ?? {}).flatMap(([field, part]) =>
      intent[part] === undefined ? [] : [[field, intent[part]]],
    ),
  );
}

/** The problem of arguments, except in places that earlier results or handles fill. */
async function problemOf(
  { tool }: CatalogEntry,
  args: Readonly<Record<string, unknown>>,
  from: readonly EarlierResult[],
): Promise<string | undefined> {
  const checked = await tool.input.check(args, [...from.map(({ at }) => at), ...handlePlaces(args)]);
  return checked.ok ? undefined : checked.message;
}

/** The paths of handles in a value. */
function handlePlaces(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (handleIn(value) !== undefined) return [at];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => handlePlaces(inner, [...at, name]));
}

function calledName(call: RequestedCall | undefined): string {
  return `${call?.pack}.${call?.tool}`.slice(0, 140);
}

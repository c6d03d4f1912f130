import type { CatalogEntry, Dispatcher, Failure } from "@toolpacks/core";
import type { BatchResult, BatchOptions } from "@toolpacks/workflows/batch";
import { signature } from "../signature.ts";
import type { CallResult } from "./call-result.ts";
import { nameRepeated } from "./name-repeated.ts";

/** A call of a batch, as a model requested it. */
export interface RequestedCall {
  readonly id?: string | undefined;
  /** The requested name, for the answer. */
  readonly name: string;
  readonly target: CatalogEntry | { readonly failure: Failure };
  readonly args: Readonly<Record<string, unknown>>;
  /** Arguments that the surface adds. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The fields of each row that its result shows. */
  readonly fields?: readonly string[] | undefined;
  readonly continueOnFailure?: boolean | undefined;
}

export interface CallsOptions extends Omit<BatchOptions, "access" | "signature"> {
  readonly dispatcher: Dispatcher;
}

export interface CheckedCalls {
  /** Whether any call can run. */
  readonly canRun: boolean;
  run(): Promise<readonly CallResult[]>;
}

/** Checks the calls of a batch before any runs. The engine of workflows runs them. It is loaded at the first batch. */
export async function checkCalls(
  calls: readonly RequestedCall[],
  { dispatcher, ...options }: CallsOptions,
): Promise<CheckedCalls> {
  const { checkBatch } = await import("@toolpacks/workflows/batch");
  const checked = await checkBatch(calls, { ...options, access: dispatcher, signature });
  return {
    canRun: checked.canRun,
    async run() {
      const results = await checked.run();
      const { shareLength, shortenPassed } = await import("./share-length.ts");
      const needed = referredBy(calls, results, "open");
      const shown = results.map((result, at) => asCallResult(result, calls[at], needed));
      const passed = referredBy(calls, results, "succeeded");
      return shareLength(shortenPassed(nameRepeated(shown, passed), passed));
    },
  };
}

/** Ids of the results that calls with success, or without it, refer to. */
function referredBy(
  calls: readonly RequestedCall[],
  results: readonly BatchResult[],
  by: "succeeded" | "open",
): ReadonlySet<string> {
  const isBy = (at: number) => (results[at]?.status === "succeeded") === (by === "succeeded");
  const referring = calls.filter((_, at) => isBy(at)).map(({ args }) => JSON.stringify(args));
  return new Set(results.map(({ id }) => id).filter((id) => referring.some((args) => refersTo(args, id))));
}

function refersTo(args: string, id: string): boolean {
  return new RegExp(`\\bsteps\\s*(?:\\.\\s*${id}\\b|\\[\\s*\\\\?["']${id}\\b)`).test(args);
}

const maxNeededLength = 1_000;

function asCallResult(result: BatchResult, call: RequestedCall | undefined, needed: ReadonlySet<string>): CallResult {
  const { outcome, referenced, id, status, code, reason, hint } = result;
  const { target, name = "" } = call ?? {};
  const tool = target === undefined || "failure" in target ? name : target.tool.name;
  const isReadOnly = target !== undefined && !("failure" in target) && !target.tool.mutates;
  const isOpen = status === "succeeded" && needed.has(id) && referenced !== undefined;
  return {
    id,
    tool,
    status,
    ...(isReadOnly && { isReadOnly }),
    ...(code && { code }),
    ...(reason !== undefined && { reason }),
    ...(hint !== undefined && { hint }),
    ...(outcome?.blocks && { blocks: outcome.blocks }),
    ...(outcome?.meta && { meta: outcome.meta }),
    ...(outcome?.ok === true && {
      blocks: outcome.blocks ?? [{ type: "text" as const, text: outcome.text }],
      ...(outcome.links && { links: outcome.links }),
      ...(outcome.value && { value: outcome.value }),
      ...(outcome.notice !== undefined && { hint: outcome.notice }),
    }),
    ...(isOpen && { needed: (JSON.stringify(referenced) ?? "").slice(0, maxNeededLength).toWellFormed() }),
  };
}

import { closest, handleIn, holdsHandle, ToolError, type Failure, type JsonSchema } from "@toolpacks/core";
import {
  compileTemplate,
  createCompilation,
  expressionsIn,
  identifier,
  unknownFieldProblem,
  type Compilation,
  type Template,
} from "@toolpacks/expressions";
import { signature } from "../signature.ts";
import type { BatchCall, BatchOptions } from "./batch.ts";
import { escapeLiterals } from "./literal-braces.ts";
import { runBatch, type CheckedCall } from "./run-batch.ts";
import { shownResults, type ShownResult } from "./shown-results.ts";

/** Calls that were checked, and have not run. */
export interface CheckedBatch {
  /** Whether any call can run. */
  readonly canRun: boolean;
  /** Runs the calls that passed. Resolves to one result per call, in their order, also when the batch is cancelled. */
  run(): Promise<readonly ShownResult[]>;
}

/** Checks every call before any runs: its tool, its references and its arguments. */
export async function checkBatch(calls: readonly BatchCall[], options: BatchOptions): Promise<CheckedBatch> {
  const ids = idsOf(calls);
  const batch = { calls, ids, options, compilation: createCompilation(options.context.signal) };
  const checked: CheckedCall[] = [];
  for (const [at, call] of calls.entries())
    checked.push({ id: ids[at] ?? "", call, ...(await check(call, at, batch)) });
  const wrong = checked.filter(({ problem }) => problem !== undefined);
  const isRefused = wrong.length === calls.length || (options.strict === true && wrong.length > 0);
  return {
    canRun: !isRefused,
    run: async () => shownResults(await runBatch(checked, options, isRefused)),
  };
}

interface Batch {
  readonly calls: readonly BatchCall[];
  readonly ids: readonly string[];
  readonly options: BatchOptions;
  readonly compilation: Compilation;
}

async function check(call: BatchCall, at: number, batch: Batch): Promise<Pick<CheckedCall, "template" | "problem">> {
  const { target, args } = call;
  if ("failure" in target) return { problem: target.failure };
  try {
    const escaped = escapeLiterals(args);
    const template = await compileTemplate(escaped, { at: "", compilation: batch.compilation });
    const problem =
      idProblem(at, batch) ??
      referenceProblem(template, at, batch) ??
      fieldProblem(escaped, batch) ??
      (await argumentsProblem(call, escaped, batch));
    return problem === undefined ? { template } : { template, problem };
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const { code, hint } = error;
    // A place begins with a dot, since it is inside of the arguments.
    const message = error.message.replace(/^\./, "");
    return { problem: { code, message, hint } };
  }
}

function idsOf(calls: readonly BatchCall[]): readonly string[] {
  const named = new Set(calls.map(({ id }) => id));
  return calls.map(({ id }, at) => {
    if (id !== undefined) return id;
    let free = `s${at + 1}`;
    while (named.has(free)) free += "_";
    return free;
  });
}

function idProblem(at: number, { ids, calls }: Batch): Failure | undefined {
  const id = ids[at] ?? "";
  if (calls[at]?.id !== undefined && !identifier.pattern.test(id)) return wrong(`id: ${identifier.problem}`);
  return ids.indexOf(id) < at ? wrong(`id: another call is named ${id}`) : undefined;
}

function referenceProblem({ references }: Template, at: number, { ids, options }: Batch): Failure | undefined {
  if (references.length > 0 && options.strategy === "parallel")
    return wrong("calls that run in parallel cannot use each other's results", "Use strategy serial.");
  const id = references.find((one) => !ids.slice(0, at).includes(one));
  if (id === undefined) return undefined;
  if (ids.includes(id))
    return wrong(`\${steps.${id}}: ${id === ids[at] ? "this is the call itself" : `${id} runs later`}`);
  const near = closest(id, ids);
  return wrong(
    `\${steps.${id}}: no call has the id ${id}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Ids: ${ids.join(", ")}.`,
  );
}

function fieldProblem(args: unknown, { calls, ids }: Batch): Failure | undefined {
  const schemaOf = (id: string): JsonSchema | undefined => {
    const target = calls[ids.indexOf(id)]?.target;
    return target === undefined || "failure" in target ? undefined : target.tool.output?.json();
  };
  for (const { at, source } of expressionsIn(args)) {
    const problem = unknownFieldProblem(source, schemaOf);
    if (problem !== undefined) return wrong(`${at.join(".")}: ${problem}`);
  }
  return undefined;
}

/** Checks arguments, except in the places of references and handles. */
async function argumentsProblem(call: BatchCall, escaped: unknown, { options }: Batch): Promise<Failure | undefined> {
  const { target, more = {} } = call;
  if ("failure" in target) return undefined;
  const args = { ...more, ...call.args };
  const handles = holdsHandle(args) ? await options.checkHandles?.(args, options.context) : undefined;
  if (handles !== undefined) return handles;
  const pending = [...expressionsIn(escaped).map(({ at }) => at), ...handlePlaces(args)];
  const checked = await target.tool.input.check(args, pending);
  return checked.ok ? undefined : wrong(checked.message, `Call ${signature(target.tool)}`);
}

/** The paths of handles in a value. */
function handlePlaces(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (handleIn(value) !== undefined) return [at];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => handlePlaces(inner, [...at, name]));
}

function wrong(message: string, hint?: string): Failure {
  return { code: "invalid_input", message, hint };
}

import { closest, handleIn, holdsHandle, type Failure, type JsonSchema } from "@toolpacks/core";
import { identifier, referencesIn, unknownFieldProblem, type Reference } from "@toolpacks/expressions";
import { signature } from "../signature.ts";
import type { BatchCall, BatchOptions } from "./batch.ts";
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
  const checked: CheckedCall[] = [];
  for (const [at, call] of calls.entries()) {
    const found = referencesIn(call.args);
    const references = found.flatMap(({ id }) => id ?? []);
    const problem = await problemOf(call, found, { at, calls, ids, options });
    checked.push({ id: ids[at] ?? "", call, references, ...(problem && { problem }) });
  }
  return {
    canRun: checked.some(({ problem }) => problem === undefined),
    run: async () => shownResults(await runBatch(checked, options)),
  };
}

/** The place of a call in its batch. */
interface Place {
  readonly at: number;
  readonly calls: readonly BatchCall[];
  readonly ids: readonly string[];
  readonly options: BatchOptions;
}

async function problemOf(call: BatchCall, found: readonly Reference[], place: Place): Promise<Failure | undefined> {
  if ("failure" in call.target) return call.target.failure;
  return (
    idProblem(place) ??
    referenceProblem(found, place) ??
    fieldProblem(found, place) ??
    (await argumentsProblem(call, found, place))
  );
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

function idProblem({ at, ids, calls }: Place): Failure | undefined {
  const id = ids[at] ?? "";
  if (calls[at]?.id !== undefined && !identifier.pattern.test(id)) return wrong(`id: ${identifier.problem}`);
  return ids.indexOf(id) < at ? wrong(`id: another call is named ${id}`) : undefined;
}

function referenceProblem(found: readonly Reference[], { at, ids, options }: Place): Failure | undefined {
  const computed = found.find(({ id }) => id === undefined);
  if (computed !== undefined) {
    const place = computed.at.join(".");
    const hint = "Write $${ for a literal ${. A script computes: workflow_eval {code}.";
    return wrong(`${place}: expected a path such as \${steps.s1.items[0].id}, received \${${computed.source}}`, hint);
  }
  if (found.length > 0 && options.strategy === "parallel")
    return wrong("calls that run in parallel cannot use each other's results", "Use strategy serial.");
  const id = found.map((one) => one.id ?? "").find((one) => !ids.slice(0, at).includes(one));
  if (id === undefined) return undefined;
  if (ids.includes(id))
    return wrong(`\${steps.${id}}: ${id === ids[at] ? "this is the call itself" : `${id} runs later`}`);
  const near = closest(id, ids);
  return wrong(
    `\${steps.${id}}: no call has the id ${id}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Ids: ${ids.join(", ")}.`,
  );
}

function fieldProblem(found: readonly Reference[], { calls, ids }: Place): Failure | undefined {
  const schemaOf = (id: string): JsonSchema | undefined => {
    const target = calls[ids.indexOf(id)]?.target;
    return target === undefined || "failure" in target ? undefined : target.tool.output?.json();
  };
  for (const { at, source } of found) {
    const problem = unknownFieldProblem(source, schemaOf);
    if (problem !== undefined) return wrong(`${at.join(".")}: ${problem}`);
  }
  return undefined;
}

/** Checks arguments, except in the places of references and handles. */
async function argumentsProblem(
  call: BatchCall,
  found: readonly Reference[],
  { options }: Place,
): Promise<Failure | undefined> {
  const { target, more = {} } = call;
  if ("failure" in target) return undefined;
  const args = { ...more, ...call.args };
  const handles = holdsHandle(args) ? await options.checkHandles?.(args, options.context) : undefined;
  if (handles !== undefined) return handles;
  const checked = await target.tool.input.check(args, [...found.map(({ at }) => at), ...handlePlaces(args)]);
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

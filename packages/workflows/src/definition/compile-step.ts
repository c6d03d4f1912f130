import { foreignSchema, ToolError } from "@toolpacks/core";
import { compileExpression } from "../expressions/expression.ts";
import { scan } from "../expressions/scan.ts";
import { compileTemplate } from "../expressions/template.ts";
import { objectSchema } from "./shorthand.ts";
import { kindOf, type StepSource } from "./step-source.ts";
import type { Action, Step } from "./workflow.ts";

/** Milliseconds that a single call may take where a step names no timeout. */
const defaultTimeout = 300_000;
const defaultBackoff = 1_000;
const defaultParallel = 8;

/** Where a step stands, and the ids that are taken. */
export interface Place {
  readonly at: string;
  readonly ids: Set<string>;
}

/**
 * Checks steps, their expressions and their ids.
 *
 * @throws ToolError `invalid_input` naming the place and what is wrong
 */
export async function compileSteps(sources: readonly StepSource[], { at, ids }: Place): Promise<readonly Step[]> {
  const named = sources.map((source) => source.id);
  for (const [index, id] of named.entries()) {
    if (id === undefined) continue;
    if (ids.has(id)) throw new ToolError("invalid_input", `${at}[${index}].id: another step is named ${id}`);
    ids.add(id);
  }
  const steps: Step[] = [];
  for (const [index, source] of sources.entries()) {
    steps.push(await compileStep(source, { at: `${at}[${index}]`, ids }));
  }
  return steps;
}

async function compileStep(source: StepSource, place: Place): Promise<Step> {
  const { at, ids } = place;
  const { when, retry, fallback = [], onError } = source;
  const id = source.id ?? freeId(ids);
  const action = await compileAction(source, place);
  const condition = when === undefined ? undefined : await compileExpression(bare(when), `${at}.when`);
  const isCall = action.kind === "tool" || action.kind === "model" || action.kind === "step";
  return {
    ...action,
    id,
    when: condition,
    attempts: retry?.attempts ?? 1,
    backoff: retry?.backoff ?? defaultBackoff,
    timeout: source.timeout ?? (isCall ? defaultTimeout : undefined),
    fallback: await compileSteps(fallback, { at: `${at}.fallback`, ids }),
    onError,
    references: [...new Set([...referencesOf(action), ...(condition?.references ?? [])])],
  };
}

/** `step1`, `step2`, … in the order of the definition. */
function freeId(ids: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const id = `step${number}`;
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

/** A condition is an expression with or without `${…}` around it. */
function bare(when: string): string {
  const pieces = scan(when);
  const [only] = pieces ?? [];
  return pieces?.length === 1 && only !== undefined && "expression" in only ? only.expression : when.trim();
}

async function compileAction(source: StepSource, { at, ids }: Place): Promise<Action> {
  const kind = kindOf(source);
  switch (kind) {
    case "tool":
      return { kind, tool: source.tool ?? "", params: await compileTemplate(source.params ?? {}, `${at}.params`) };
    case "step":
      return { kind, step: source.step ?? "", params: await compileTemplate(source.params ?? {}, `${at}.params`) };
    case "workflow":
      return { kind, workflow: source.workflow ?? "", input: await compileTemplate(source.input ?? {}, `${at}.input`) };
    case "model":
      return compileModel(source, at);
    case "parallel": {
      const { parallel = [], concurrency = defaultParallel } = source;
      return { kind, steps: await compileSteps(parallel, { at: `${at}.parallel`, ids }), concurrency };
    }
    case "forEach": {
      const { forEach = [], as = "item", steps = [], concurrency = 1 } = source;
      const items = await compileTemplate(forEach, `${at}.forEach`);
      return { kind, items, as, steps: await compileSteps(steps, { at: `${at}.steps`, ids }), concurrency };
    }
    default:
      throw new ToolError("invalid_input", `${at}: expected a step`);
  }
}

async function compileModel({ model = "", prompt = "", system, schema }: StepSource, at: string): Promise<Action> {
  const json = schema && objectSchema(schema, `${at}.schema`);
  return {
    kind: "model",
    model,
    prompt: await compileTemplate(prompt, `${at}.prompt`),
    system: system === undefined ? undefined : await compileTemplate(system, `${at}.system`),
    schema: json && { json, schema: foreignSchema(json) },
  };
}

function referencesOf(action: Action): readonly string[] {
  switch (action.kind) {
    case "tool":
    case "step":
      return action.params.references;
    case "model":
      return [...action.prompt.references, ...(action.system?.references ?? [])];
    case "workflow":
      return action.input.references;
    case "forEach":
      return action.items.references;
    default:
      return [];
  }
}

import { foreignSchema, ToolError } from "@toolpacks/core";
import { type Compilation, compileExpression, compileTemplate, scan } from "@toolpacks/expressions";
import { deadlineOf, durationMs, timeOf } from "./duration.ts";
import { objectSchema } from "./shorthand.ts";
import { kindOf, type StepSource } from "./step-source.ts";
import type { Action, Step } from "./workflow.ts";

/** Default timeout of a single call in ms. */
const defaultTimeout = 300_000;
const defaultBackoff = 1_000;
const defaultParallel = 8;
/** Maximum nesting of steps. */
const maxNesting = 32;

/** The place of a step, and the ids in use. */
export interface Place {
  readonly at: string;
  readonly ids: Set<string>;
  readonly compilation: Compilation;
  /** Prefix of generated ids. */
  readonly prefix: string;
  /** Number of steps around this place. */
  readonly nesting?: number;
}

/**
 * Compiles steps: checks them, their expressions and their ids.
 *
 * @throws ToolError `invalid_input` naming the place and what is wrong
 */
export async function compileSteps(sources: readonly StepSource[], place: Place): Promise<readonly Step[]> {
  const { at, ids, prefix, compilation, nesting = 0 } = place;
  if (nesting > maxNesting)
    throw new ToolError("invalid_input", `${at}: steps are nested more than ${maxNesting} levels deep`);
  for (const [index, { id }] of sources.entries()) {
    if (id === undefined) continue;
    if (ids.has(id)) throw new ToolError("invalid_input", `${at}[${index}].id: another step is named ${id}`);
    ids.add(id);
  }
  const steps: Step[] = [];
  for (const [index, source] of sources.entries()) {
    const id = source.id ?? freeId(prefix, index, ids);
    const inside = { at: `${at}[${index}]`, ids, prefix: `${id}_`, compilation, nesting: nesting + 1 };
    steps.push(await compileStep(source, inside, id));
  }
  return steps;
}

async function compileStep(source: StepSource, place: Place, id: string): Promise<Step> {
  const { at, compilation } = place;
  const { when, retry, fallback = [], onError } = source;
  const action = await compileAction(source, place);
  const condition = when === undefined ? undefined : await compileExpression(bare(when), `${at}.when`, compilation);
  const isCall = action.kind === "tool" || action.kind === "model" || action.kind === "step";
  return {
    ...action,
    id,
    when: condition,
    attempts: retry?.attempts ?? 1,
    backoff: retry?.backoff ?? defaultBackoff,
    timeout: source.timeout ?? (isCall ? defaultTimeout : undefined),
    fallback: await compileSteps(fallback, { ...place, at: `${at}.fallback` }),
    onError,
    references: [...new Set([...referencesOf(action), ...(condition?.references ?? [])])],
  };
}

/** Generated ids: `step1`, `step2`, …; `step2_1` is the first step inside the second. */
function freeId(prefix: string, index: number, ids: Set<string>): string {
  let id = `${prefix}${index + 1}`;
  while (ids.has(id)) id += "_";
  ids.add(id);
  return id;
}

/** A condition is an expression, with or without `${…}` around it. */
function bare(when: string): string {
  const pieces = scan(when);
  const [only] = pieces ?? [];
  return pieces?.length === 1 && only !== undefined && "expression" in only ? only.expression : when.trim();
}

async function compileAction(source: StepSource, place: Place): Promise<Action> {
  const { at, compilation } = place;
  const template = (value: unknown, key: string) => compileTemplate(value, { at: `${at}.${key}`, compilation });
  const kind = kindOf(source);
  switch (kind) {
    case "tool":
      return { kind, tool: source.tool ?? "", params: await template(source.params ?? {}, "params") };
    case "step":
      return { kind, step: source.step ?? "", params: await template(source.params ?? {}, "params") };
    case "workflow":
      return { kind, workflow: source.workflow ?? "", input: await template(source.input ?? {}, "input") };
    case "model":
      return compileModel(source, place);
    case "parallel": {
      const { parallel = [], concurrency = defaultParallel } = source;
      return { kind, steps: await compileSteps(parallel, { ...place, at: `${at}.parallel` }), concurrency };
    }
    case "forEach": {
      const { forEach = [], as = "item", steps = [], concurrency = 1 } = source;
      const items = await template(forEach, "forEach");
      return { kind, items, as, steps: await compileSteps(steps, { ...place, at: `${at}.steps` }), concurrency };
    }
    case "ask":
      return compileAsk(source, place);
    case "wait":
      return compileWait(source, place);
    case "issue":
      return { kind, issues: await template(source.issue ?? {}, "issue") };
    default:
      throw new ToolError("invalid_input", `${at}: expected a step`);
  }
}

async function compileModel(source: StepSource, { at, compilation }: Place): Promise<Action> {
  const { model = "", task, prompt = "", system, schema } = source;
  const template = (value: unknown, key: string) => compileTemplate(value, { at: `${at}.${key}`, compilation });
  const json = schema && objectSchema(schema, `${at}.schema`);
  return {
    kind: "model",
    serves: task === undefined ? { model } : { task },
    prompt: await template(prompt, "prompt"),
    system: system === undefined ? undefined : await template(system, "system"),
    schema: json && { json, schema: foreignSchema(json) },
  };
}

async function compileAsk(source: StepSource, { at, compilation }: Place): Promise<Action> {
  const { ask = "", choices, schema, deadline } = source;
  const template = (value: unknown, key: string) => compileTemplate(value, { at: `${at}.${key}`, compilation });
  if (choices !== undefined && schema !== undefined)
    throw new ToolError("invalid_input", `${at}.schema: expected either choices or a schema`);
  if (deadline !== undefined) checkLiteral(deadline, `${at}.deadline`, deadlineOf);
  const json = schema && objectSchema(schema, `${at}.schema`);
  return {
    kind: "ask",
    question: await template(ask, "ask"),
    choices: choices === undefined ? undefined : await template(choices, "choices"),
    schema: json && { json, schema: foreignSchema(json) },
    deadline: deadline === undefined ? undefined : await template(deadline, "deadline"),
  };
}

async function compileWait({ wait = {} }: StepSource, { at, compilation }: Place): Promise<Action> {
  const waitsFor = wait.until !== undefined ? "until" : wait.for !== undefined ? "for" : "issue";
  const value = wait[waitsFor] ?? "";
  const place = `${at}.wait.${waitsFor}`;
  if (waitsFor !== "issue") checkLiteral(value, place, waitsFor === "until" ? timeOf : durationMs);
  return { kind: "wait", waitsFor, value: await compileTemplate(value, { at: place, compilation }) };
}

/** Checks a time or a duration without expressions. @throws ToolError `invalid_input` */
function checkLiteral(value: string, at: string, parse: (text: string) => unknown): void {
  if (scan(value)?.some((piece) => "expression" in piece) === true) return;
  try {
    parse(value);
  } catch (error) {
    throw ToolError.is(error) ? new ToolError(error.code, `${at}: ${error.message}`) : error;
  }
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
    case "ask":
      return [action.question, action.choices, action.deadline].flatMap((one) => one?.references ?? []);
    case "wait":
      return action.value.references;
    case "issue":
      return action.issues.references;
    default:
      return [];
  }
}

import { foreignSchema, ToolError } from "@toolpacks/core";
import { type Compilation, compileExpression, compileTemplate, scan, type Template } from "@toolpacks/expressions";
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
  /** The steps that use the result of each step, by id. */
  readonly users: Map<string, string[]>;
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
  const { at, ids, users, prefix, compilation, nesting = 0 } = place;
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
    const inside = { at: `${at}[${index}]`, ids, users, prefix: `${id}_`, compilation, nesting: nesting + 1 };
    steps.push(await compileStep(source, inside, id));
  }
  return steps;
}

async function compileStep(source: StepSource, place: Place, id: string): Promise<Step> {
  const { at, compilation } = place;
  const { when, retry, fallback = [], onError } = source;
  const references = new Set<string>();
  const template: CompileField = async (value, key) => {
    const compiled = await compileTemplate(value, { at: `${at}.${key}`, compilation });
    for (const one of compiled.references) references.add(one);
    return compiled;
  };
  const action = await compileAction(source, place, template);
  const condition = when === undefined ? undefined : await compileExpression(bare(when), `${at}.when`, compilation);
  for (const one of condition?.references ?? []) references.add(one);
  for (const one of references) usersOf(one, place).push(id);
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
    show: source.show,
    references: [...references],
    users: usersOf(id, place),
  };
}

/** The steps that use the result of a step. Steps that are compiled later are added. */
function usersOf(id: string, { users }: Place): string[] {
  const known = users.get(id) ?? [];
  users.set(id, known);
  return known;
}

/** Compiles the value of a field, and counts the steps to which it refers. */
type CompileField = (value: unknown, field: string) => Promise<Template>;

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

async function compileAction(source: StepSource, place: Place, template: CompileField): Promise<Action> {
  const { at } = place;
  const { params = {}, schema, deadline } = source;
  const optional = async (value: unknown, field: string) =>
    value === undefined ? undefined : await template(value, field);
  const kind = kindOf(source);
  switch (kind) {
    case "tool":
      return { kind, tool: source.tool ?? "", params: await template(params, "params") };
    case "step":
      return { kind, step: source.step ?? "", params: await template(params, "params") };
    case "workflow":
      return { kind, workflow: source.workflow ?? "", input: await template(source.input ?? {}, "input") };
    case "model":
      return {
        kind,
        serves: source.task === undefined ? { model: source.model ?? "" } : { task: source.task },
        prompt: await template(source.prompt ?? "", "prompt"),
        system: await optional(source.system, "system"),
        schema: schema && foreignSchema(objectSchema(schema, `${at}.schema`)),
      };
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
      if (source.choices !== undefined && schema !== undefined)
        throw new ToolError("invalid_input", `${at}.schema: expected either choices or a schema`);
      if (deadline !== undefined) checkLiteral(deadline, `${at}.deadline`, deadlineOf);
      return {
        kind,
        question: await template(source.ask, "ask"),
        choices: await optional(source.choices, "choices"),
        schema: schema && foreignSchema(objectSchema(schema, `${at}.schema`)),
        deadline: await optional(deadline, "deadline"),
      };
    case "wait": {
      const { wait = {} } = source;
      const waitsFor = wait.until !== undefined ? "until" : wait.for !== undefined ? "for" : "issue";
      const value = wait[waitsFor] ?? "";
      if (waitsFor !== "issue")
        checkLiteral(value, `${at}.wait.${waitsFor}`, waitsFor === "until" ? timeOf : durationMs);
      return { kind, waitsFor, value: await template(value, `wait.${waitsFor}`) };
    }
    case "issue":
      return { kind, issues: await template(source.issue, "issue") };
    case "code":
      return { kind, code: source.code ?? "" };
    default:
      throw new ToolError("invalid_input", `${at}: expected a step`);
  }
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

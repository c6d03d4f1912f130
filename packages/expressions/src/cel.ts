import { createContext, Script } from "node:vm";
import { Environment } from "@marcbachmann/cel-js";
import { errorText, isObject, ToolError } from "@toolpacks/core";
import { boundedName, boundedSum, registerBounded } from "./bounded-functions.ts";
import type { Values } from "./expression.ts";
import { maxTextLength } from "./json-size.ts";

/** Timeout of an expression that calls or copies something, in ms. */
const maxMs = 250;
/** Number of sizes that need no timeout. One of the longest text alone may reach it on a busy machine. */
const maxSizes = 3;
const maxLoopDepth = 2;

const loops = new Set(["map", "filter", "all", "exists", "exists_one"]);
/** Operators whose time grows with their operands: sums copy lists, comparisons read whole values. */
const slowOperators = new Set(["+", "in", "==", "!="]);

/** JSON has one number type, so integers and doubles mix. */
const mixed = new Environment({
  homogeneousAggregateLiterals: false,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 400, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 },
});
for (const [operator, compute] of [
  ["+", (a: number, b: number) => a + b],
  ["-", (a: number, b: number) => a - b],
  ["*", (a: number, b: number) => a * b],
  ["/", (a: number, b: number) => a / b],
] as const) {
  mixed.registerOperator(`double ${operator} int`, (a: number, b: bigint) => compute(a, Number(b)));
  mixed.registerOperator(`int ${operator} double`, (a: bigint, b: number) => compute(Number(a), b));
}

registerBounded(mixed);

/**
 * Parses a CEL expression.
 *
 * @param timeoutMs timeout of an evaluation that calls or copies something, in ms. Default 250.
 * @throws ToolError `invalid_input` for an expression that is not CEL or may never end
 */
export function compileCel(
  source: string,
  at: string,
  timeoutMs: number = maxMs,
): { readonly references: readonly string[]; readonly run: (values: Values) => unknown } {
  const parsed = parse(source, at);
  const found: Found = { references: new Set(), guarded: false, sizes: 0, problem: undefined };
  inspect(parsed.ast, found, 0);
  if (found.problem !== undefined) throw new ToolError("invalid_input", `${at}: \${${source}}: ${found.problem}`);
  const evaluate = (values: Values) => toJson(parsed(values), { values: 0 });
  return {
    references: [...found.references],
    run: found.guarded ? (values) => runWithTimeout(() => evaluate(values), timeoutMs) : evaluate,
  };
}

function parse(source: string, at: string) {
  try {
    return mixed.parse(source);
  } catch (error) {
    const message = errorText(error).split("\n", 1)[0] ?? "";
    throw new ToolError("invalid_input", `${at}: \${${source}} is not an expression: ${message}`);
  }
}

interface Found {
  readonly references: Set<string>;
  guarded: boolean;
  sizes: number;
  problem: string | undefined;
}

interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly evaluate: Evaluate };
  setMeta(key: "evaluate", value: Evaluate): void;
}

type Evaluate = (...context: readonly unknown[]) => unknown;

function inspect(value: unknown, found: Found, depth: number): void {
  if (Array.isArray(value)) {
    for (const one of value) inspect(one, found, depth);
    return;
  }
  if (!isNode(value)) return;
  const { op, args } = value;
  const reference = referenceOf(value);
  if (reference !== undefined) found.references.add(reference);
  const name = (op === "rcall" || op === "call") && Array.isArray(args) ? String(args[0]) : "";
  found.sizes += Number(name === "size");
  const isCall = name !== "" && name !== "size";
  if (isCall || found.sizes > maxSizes || (slowOperators.has(op) && !hasLiteral(args))) found.guarded = true;
  if (op === "rcall" && Array.isArray(args)) args[0] = boundedName(name);
  if (op === "+") boundSum(value);
  // It could double a list at each level.
  if (name === "bind") found.problem = "cel.bind is not supported";
  if (!loops.has(name) || !Array.isArray(args)) {
    inspect(args, found, depth);
    return;
  }
  if (depth === maxLoopDepth) found.problem = `loops may be nested ${maxLoopDepth} deep`;
  // The list is evaluated before the loop runs, and the loop's body inside it.
  const [, list, inside] = args as readonly unknown[];
  inspect(list, found, depth);
  inspect(inside, found, depth + 1);
}

/** Whether an operand is a literal, so that the operator takes no time. */
function hasLiteral(operands: unknown): boolean {
  return Array.isArray(operands) && operands.some((operand) => isNode(operand) && operand.op === "value");
}

/** Checks the size of a sum before another operator uses it. */
function boundSum(sum: Node): void {
  const { evaluate } = sum.meta;
  sum.setMeta("evaluate", (...context) => boundedSum(evaluate(...context)));
}

/** `steps.id`, `steps["id"]`, and the same for `status`. */
function referenceOf({ op, args }: Node): string | undefined {
  if ((op !== "." && op !== "[]") || !Array.isArray(args)) return undefined;
  const [of, key] = args as readonly unknown[];
  if (!isNode(of) || of.op !== "id" || (of.args !== "steps" && of.args !== "status")) return undefined;
  if (typeof key === "string") return key;
  return isNode(key) && key.op === "value" && typeof key.args === "string" ? key.args : undefined;
}

function isNode(value: unknown): value is Node {
  return isObject(value) && "op" in value && "args" in value && "setMeta" in value;
}

const guard = { context: createContext({ job: undefined as unknown }), script: new Script("job()") };

/** Node can interrupt synchronous code only in a script. */
function runWithTimeout<T>(job: () => T, timeout: number): T {
  guard.context["job"] = job;
  return guard.script.runInContext(guard.context, { timeout }) as T;
}

/** Maximum size of a result: a list that occurs in it many times is copied each time. */
const maxValues = 2_000_000;

function toJson(value: unknown, copied: { values: number }): unknown {
  copied.values += Array.isArray(value) ? value.length + 1 : 1;
  if (copied.values > maxValues) throw new ToolError("too_large", `the result has more than ${maxValues} values`);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && value.length > maxTextLength) {
    throw new ToolError("too_large", `the result is a text of more than ${maxTextLength} characters`);
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`the result ${value} is not a JSON number`);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.every(isPlain) ? value : value.map((one) => toJson(one, copied));
  if (!(value instanceof Map) && Object.getPrototypeOf(value) !== Object.prototype) return ownForm(value);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [String(key), toJson(one, copied)] as const));
}

/** Converts the library's unsigned numbers and durations. */
function ownForm(value: object): unknown {
  const primitive: unknown = value.valueOf();
  if (typeof primitive === "bigint" || typeof primitive === "number") return Number(primitive);
  throw new Error("the result is not a JSON value; string() converts it to text");
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

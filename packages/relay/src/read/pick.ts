import { setImmediate } from "node:timers/promises";
import vm from "node:vm";
import { errorText, exceededMessage, measure, ToolError, jsonValue } from "@toolpacks/core";
import { FunctionExpressionType, JSONPathEnvironment, type FilterFunction, type JSONValue } from "json-p3";
import { jsonIn } from "../query/parse-json.ts";
import { rangeBytes, type OpenValue } from "./open-value.ts";
import { compilePattern } from "./pattern.ts";

/** Maximum size of JSON for JSONPath: it is parsed as a whole. */
const maxBytes = 64 * 1024 * 1024;
const maxNodes = 100_000;
/** Deeper values overflow the stack of an evaluation. */
const jsonBounds = { maxDepth: 256, maxValues: 10_000_000 };
const maxPathLength = 2_000;
/** Timeout of an evaluation. It blocks the event loop. */
const timeoutMs = 2_000;

/** The time that the JSONPaths of one call have taken together. */
export interface PickTime {
  usedMs: number;
}

/** The values that a path found. */
export interface Picked {
  readonly values: readonly unknown[];
  /** Whether the path can match at most one value. */
  readonly isSingular: boolean;
}

/**
 * Evaluates a JSONPath (RFC 9535) on a JSON value.
 *
 * @throws ToolError `invalid_input` for an invalid path or value, `too_large`
 */
export async function pick(value: OpenValue, path: string, time: PickTime = { usedMs: 0 }): Promise<Picked> {
  const { info } = value;
  if (info.size > maxBytes) {
    const problem = `pick: the value has ${info.size} bytes, more than the ${maxBytes} that JSON is picked from`;
    throw new ToolError("too_large", problem, "Use grep, lines or slice.");
  }
  const query = compilePath(path);
  const bytes = await rangeBytes(value);
  // Lets other requests run between two evaluations.
  await setImmediate();
  value.signal?.throwIfAborted();
  const json = parse(bytes.toString("utf8"));
  const { exceeded } = measure(json, jsonBounds);
  if (exceeded !== undefined) {
    const problem = `pick: the value is ${exceededMessage(exceeded, jsonBounds)}`;
    throw new ToolError("too_large", problem, "Use grep, lines or slice.");
  }
  return { values: evaluate(query, json, time), isSingular: query.singularQuery() };
}

/** The values that a path finds, without a limit of time. @throws ToolError `invalid_input` for an invalid path */
export function findIn(json: unknown, path: string): unknown[] {
  return Array.from(compilePath(path).lazyQuery(json as JSONValue), ({ value }) => value);
}

function evaluate(query: ReturnType<typeof compilePath>, json: JSONValue, time: PickTime): readonly unknown[] {
  const left = timeoutMs - time.usedMs;
  if (left <= 0) throw tookTooLong();
  const started = performance.now();
  const find = () => {
    const found: unknown[] = [];
    for (const { value: one } of query.lazyQuery(json)) {
      if (found.length === maxNodes) throw new ToolError("too_large", `pick: more than ${maxNodes} values match`);
      found.push(one);
    }
    return found;
  };
  try {
    return runWithTimeout(find, Math.ceil(left));
  } finally {
    time.usedMs += performance.now() - started;
  }
}

const script = new vm.Script("work()");

/** Runs synchronous work with a timeout. Node can interrupt only a script, so a constant script calls `work`; no other code is evaluated. */
function runWithTimeout<Result>(work: () => Result, ms: number): Result {
  try {
    return script.runInNewContext({ work }, { timeout: ms }) as Result;
  } catch (error) {
    // Errors of the script's context are not instances of our classes.
    if ((error as { code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw tookTooLong();
  }
}

function tookTooLong(): ToolError {
  const problem = `pick: the JSONPaths of one call took longer than ${timeoutMs / 1_000} s together and were stopped`;
  return new ToolError("too_large", problem, "Use fewer or simpler JSONPaths.");
}

function compilePath(path: string) {
  if (path.length > maxPathLength) {
    throw new ToolError("invalid_input", `pattern: a JSONPath has at most ${maxPathLength} characters`);
  }
  try {
    // `.items`, as in jq, means `$.items`.
    return environment().compile(/^[.[]/.test(path) ? `$${path}` : path);
  } catch (error) {
    const problem = errorText(error);
    throw new ToolError("invalid_input", `pattern: not a JSONPath: ${problem}`, "Such as $.items[0].name or $..id.");
  }
}

function parse(text: string): JSONValue {
  const value = jsonValue(jsonIn(text)) as JSONValue | undefined;
  if (value !== undefined) return value;
  throw new ToolError("invalid_input", "pick: the value is not JSON", "Use query for CSV and JSON lines, or grep.");
}

/** An environment with RE2: the library's own `match` and `search` may take exponential time. */
function environment(): JSONPathEnvironment {
  const made = new JSONPathEnvironment();
  made.functionRegister.set(
    "match",
    matching((pattern, text) => pattern.testExact(text)),
  );
  made.functionRegister.set(
    "search",
    matching((pattern, text) => pattern.test(text)),
  );
  return made;
}

function matching(matches: (pattern: ReturnType<typeof compilePattern>, text: string) => boolean): FilterFunction {
  const compiled = new Map<string, ReturnType<typeof compilePattern>>();
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, source: unknown) {
      if (typeof text !== "string" || typeof source !== "string") return false;
      const pattern = compiled.get(source) ?? compilePattern(source);
      compiled.set(source, pattern);
      return matches(pattern, text);
    },
  };
}

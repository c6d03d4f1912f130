import { setImmediate } from "node:timers/promises";
import { ToolError } from "@toolpacks/core";
import { exceededBound, exceededMessage } from "@toolpacks/core/bounded-io";
import { FunctionExpressionType, JSONPathEnvironment, type FilterFunction, type JSONValue } from "json-p3";
import type { OpenValue } from "./open-value.ts";
import { compilePattern } from "./pattern.ts";
import { rangeBytes } from "./whole-text.ts";
import { withinTime } from "./within-time.ts";

/** JSON is read whole to be picked from. */
const maxBytes = 64 * 1024 * 1024;
const maxNodes = 100_000;
/** Deeper values overflow the stack of an evaluation. */
const jsonBounds = { maxDepth: 256, maxValues: 10_000_000 };
const maxPathLength = 2_000;
/** Nothing else is answered while one is evaluated. */
const timeoutMs = 2_000;

/** The time that all picks of one call share. */
export interface PickTime {
  /** Milliseconds that are left. */
  left: number;
}

export function createPickTime(): PickTime {
  return { left: timeoutMs };
}

/** What a path found. */
export interface Picked {
  readonly values: readonly unknown[];
  /** True for a path that can lead to one place only. */
  readonly isSingular: boolean;
}

/**
 * Picks from a JSON value by a JSONPath (RFC 9535).
 *
 * @param time what the picks of one call share
 * @throws ToolError `invalid_input` for a path or a value that is none, `too_large`
 */
export async function pick(value: OpenValue, path: string, time = createPickTime()): Promise<Picked> {
  const { info } = value;
  if (info.size > maxBytes) {
    const problem = `pick: the value has ${info.size} bytes, more than the ${maxBytes} that JSON is picked from`;
    throw new ToolError("too_large", problem, "Use grep, lines or slice.");
  }
  const query = compilePath(path);
  const bytes = await rangeBytes(value);
  // Other requests are handled between two picks.
  await setImmediate();
  value.signal?.throwIfAborted();
  const exceeded = exceededBound(bytes, jsonBounds);
  if (exceeded !== undefined) {
    const problem = `pick: the value is ${exceededMessage(exceeded, jsonBounds)}`;
    throw new ToolError("too_large", problem, "Use grep, lines or slice.");
  }
  const json = parse(bytes.toString("utf8"));
  return { values: evaluate(query, json, time), isSingular: query.singularQuery() };
}

function evaluate(query: ReturnType<typeof compilePath>, json: JSONValue, time: PickTime): readonly unknown[] {
  if (time.left <= 0) throw tookTooLong();
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
    return withinTime(find, Math.ceil(time.left), tookTooLong);
  } finally {
    time.left -= performance.now() - started;
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
    // `.items` as jq has it is meant as `$.items`.
    return environment().compile(/^[.[]/.test(path) ? `$${path}` : path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ToolError("invalid_input", `pattern: not a JSONPath: ${problem}`, "Such as $.items[0].name or $..id.");
  }
}

function parse(text: string): JSONValue {
  try {
    return JSON.parse(text) as JSONValue;
  } catch {
    throw new ToolError("invalid_input", "pick: the value is not JSON", "Use grep, lines or slice.");
  }
}

/** The library's own `match` and `search` run regular expressions that may take forever. */
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

import { handleIn, ToolError, type JsonSchema, jsonValue } from "@toolpacks/core";
import { schemaAt, typesOf } from "@toolpacks/schema";
import { parseHandle } from "./handle.ts";
import { spanBytes } from "./read/byte-range.ts";
import { openValue, rangeBytes } from "./read/open-value.ts";
import type { PickTime } from "./read/pick.ts";
import { mapJson } from "./map-json.ts";
import type { RelayValues } from "./values/relay-values.ts";

export interface RelayUnboxOptions {
  /** Maximum bytes of all resolved values together. Default 256 MiB. */
  readonly maxBytes?: number;
  /** The tool's input schema. Where it expects no text, JSON text is parsed. */
  readonly schema?: JsonSchema;
  /** Root fields whose handles stay. */
  readonly except?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface UnboxOptions extends RelayUnboxOptions {
  readonly values: RelayValues;
  readonly maxBytes: number;
}

/**
 * Resolves every handle in arguments: text stays text, bytes become base64. Returns the same object when there is none. Handles
 * inside a resolved value are not resolved.
 *
 * @throws ToolError `not_found` for a handle that cannot be resolved, `too_large`
 */
export async function unbox<Args>(args: Args, options: UnboxOptions): Promise<Args> {
  const { schema, except = [] } = options;
  const opened = new Map<string, OpenedHandle>();
  const budget = createBudget(options.maxBytes);
  const resolve = async (text: string) => {
    const known = opened.get(text);
    if (known !== undefined) {
      // The value is read once, but it occurs twice in the arguments.
      budget.spend(known.bytes);
      return known.value;
    }
    const found = await openHandle(text, options, budget);
    opened.set(text, found);
    return found.value;
  };
  const valueFor = async (text: string, at: readonly string[]) =>
    parseForSchemas(await resolve(text), schema === undefined ? [] : schemaAt(schema, at));
  const replace = async (value: unknown, at: readonly string[]) => {
    if (at.length === 1 && except.includes(at[0] ?? "")) return value;
    const handle = handleIn(value);
    return handle && valueFor(handle, at).catch(nameArgument(at));
  };
  return (await mapJson(args, replace)) as Args;
}

/** What all handles of one call may use together. */
interface Budget {
  /** Counts bytes of resolved values. @throws ToolError `too_large` */
  readonly spend: (bytes: number) => void;
  /** Counts bytes that are read to find a range. @throws ToolError `too_large` */
  readonly onRead: (bytes: number) => void;
  readonly pickTime: PickTime;
}

function createBudget(maxBytes: number): Budget {
  const counter = (problem: string, hint: string) => {
    let left = maxBytes;
    return (bytes: number) => {
      left -= bytes;
      if (left < 0) throw new ToolError("too_large", problem, hint);
    };
  };
  return {
    spend: counter(
      `handles may stand for ${maxBytes} bytes together here`,
      "Name a part of the value: relay://<id>#lines=1-1000.",
    ),
    onRead: counter(
      `handle: to find the ranges of handles, at most ${maxBytes} bytes are read in one call`,
      "Name fewer ranges, or ranges of smaller values.",
    ),
    pickTime: { usedMs: 0 },
  };
}

/** Adds the argument's path to the error of a handle. */
function nameArgument(at: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!ToolError.is(error)) throw error;
    const place = at.length === 0 ? "args" : at.join(".");
    throw new ToolError(error.code, error.message.replace(/^handle: /, `${place}: `), error.hint);
  };
}

interface OpenedHandle {
  readonly value: unknown;
  /** Bytes that were counted for it. */
  readonly bytes: number;
}

async function openHandle(text: string, { values, signal }: UnboxOptions, budget: Budget): Promise<OpenedHandle> {
  const { id, range } = parseHandle(text);
  const value = await openValue(values, id, signal);
  const { info } = value;
  if (range?.unit === "json") {
    budget.spend(info.size);
    const { pick } = await import("./read/pick.ts");
    const { values: found, isSingular } = await pick(value, range.path, budget.pickTime);
    if (isSingular && found.length === 0) {
      throw new ToolError("not_found", `handle: nothing in relay://${id} is at ${range.path.slice(0, 200)}`);
    }
    return { value: isSingular ? found[0] : found, bytes: info.size };
  }
  if (range !== undefined && range.unit !== "bytes" && !info.text) {
    throw new ToolError("invalid_input", `handle: relay://${id} is ${info.mimeType}, which has no ${range.unit}`);
  }
  const { start, end } =
    range === undefined ? { start: 0, end: info.size } : await spanBytes({ ...value, onRead: budget.onRead }, range);
  budget.spend(end - start);
  const bytes = await rangeBytes(value, { start, end });
  return { value: bytes.toString(info.text ? "utf8" : "base64"), bytes: end - start };
}

/** Parses JSON text where the schemas expect an object, a list or a number. */
function parseForSchemas(value: unknown, schemas: readonly JsonSchema[]): unknown {
  const types = schemas.flatMap(typesOf);
  if (typeof value !== "string" || types.length === 0 || types.includes("string")) return value;
  const parsed = jsonValue(value);
  return parsed === undefined ? value : parsed;
}

import { handleIn, ToolError, type JsonSchema } from "@toolpacks/core";
import { schemaAt, typesOf } from "@toolpacks/schema";
import { parseHandle } from "./handle.ts";
import { spanBytes, type TextRange } from "./read/byte-range.ts";
import { openValue, type OpenValue } from "./read/open-value.ts";
import type { Picked, PickTime } from "./read/pick.ts";
import { rangeBytes } from "./read/range-bytes.ts";
import { createTurns, type InTurn } from "./in-turn.ts";
import { mapJson } from "./map-json.ts";
import type { ByteRange } from "@toolpacks/store";
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
  const { values, maxBytes, schema, except = [], signal } = options;
  const opened = new Map<string, { readonly value: Promise<unknown>; bytes: number }>();
  // Parallel work would block the event loop together.
  const inTurn = createTurns();
  const pick = createPicker(inTurn);
  let left = maxBytes;
  let unread = maxBytes;
  const countRead = (bytes: number) => {
    unread -= bytes;
    if (unread >= 0) return;
    const problem = `handle: to find the ranges of handles, at most ${maxBytes} bytes are read in one call`;
    throw new ToolError("too_large", problem, "Name fewer ranges, or ranges of smaller values.");
  };
  const place: Placer = (value, range) => inTurn(() => spanBytes({ ...value, onRead: countRead }, range));
  const spend = (bytes: number) => {
    left -= bytes;
    if (left >= 0) return;
    const problem = `handles may stand for ${maxBytes} bytes together here`;
    throw new ToolError("too_large", problem, "Name a part of the value: relay://<id>#lines=1-1000.");
  };
  const resolve = async (text: string) => {
    const known = opened.get(text);
    if (known !== undefined) {
      // The value is read once, but it occurs twice in the arguments.
      const value = await known.value;
      spend(known.bytes);
      return value;
    }
    const spendFirst = (bytes: number) => {
      spend(bytes);
      opening.bytes = bytes;
    };
    const opening = {
      value: openHandle(text, { values, pick, place, spend: spendFirst, signal }),
      bytes: 0,
    };
    opened.set(text, opening);
    return opening.value;
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

interface Opening {
  readonly values: RelayValues;
  readonly pick: Picker;
  readonly place: Placer;
  readonly spend: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

type Picker = (value: OpenValue, path: string) => Promise<Picked>;

type Placer = (value: OpenValue, range: TextRange) => Promise<Required<ByteRange>>;

/** Evaluates the JSONPaths of one call within one time budget. */
function createPicker(inTurn: InTurn): Picker {
  let time: PickTime | undefined;
  return (value, path) =>
    inTurn(async () => {
      const { createPickTime, pick } = await import("./read/pick.ts");
      time ??= createPickTime();
      return pick(value, path, time);
    });
}

/** Adds the argument's path to the error of a handle. */
function nameArgument(at: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!ToolError.is(error)) throw error;
    const place = at.length === 0 ? "args" : at.join(".");
    throw new ToolError(error.code, error.message.replace(/^handle: /, `${place}: `), error.hint);
  };
}

async function openHandle(text: string, { values, pick, place, spend, signal }: Opening): Promise<unknown> {
  const { id, range } = parseHandle(text);
  const value = await openValue(values, id, signal);
  const { info } = value;
  if (range?.unit === "json") {
    spend(info.size);
    const { values: found, isSingular } = await pick(value, range.path);
    if (isSingular && found.length === 0) {
      throw new ToolError("not_found", `handle: nothing in relay://${id} is at ${range.path.slice(0, 200)}`);
    }
    return isSingular ? found[0] : found;
  }
  if (range !== undefined && range.unit !== "bytes" && !info.text) {
    throw new ToolError("invalid_input", `handle: relay://${id} is ${info.mimeType}, which has no ${range.unit}`);
  }
  const { start, end } = range === undefined ? { start: 0, end: info.size } : await place(value, range);
  spend(end - start);
  const bytes = await rangeBytes(value, { start, end });
  return info.text ? bytes.toString("utf8") : bytes.toString("base64");
}

/** Parses JSON text where the schemas expect an object, a list or a number. */
function parseForSchemas(value: unknown, schemas: readonly JsonSchema[]): unknown {
  const types = schemas.flatMap(typesOf);
  if (typeof value !== "string" || types.length === 0 || types.includes("string")) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

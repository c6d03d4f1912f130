import { valueAt } from "@toolpacks/core/store";

/** A place in a call's parameters that gets the result of an earlier call. */
export interface EarlierResult {
  /** The path of the place: field names, and indexes as text. */
  readonly at: readonly string[];
  /** The index of the earlier call. */
  readonly call: number;
  /** A dotted path in its result. Default: the whole result. */
  readonly path?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Finds every `{"$from": 0, "path": "items.0.id"}` in parameters, at any depth. */
export function earlierResults(value: unknown, at: readonly string[] = []): readonly EarlierResult[] {
  if (value === null || typeof value !== "object") return [];
  const { $from: call, path, ...others } = value as { $from?: unknown; path?: unknown };
  const isReference =
    Number.isSafeInteger(call) &&
    Number(call) >= 0 &&
    (path === undefined || typeof path === "string") &&
    Object.keys(others).length === 0;
  if (isReference) return [{ at, call: Number(call), ...(typeof path === "string" && { path }) }];
  return Object.entries(value).flatMap(([name, inner]) => earlierResults(inner, [...at, name]));
}

/** Maximum size of all results that are filled into one call, in characters of JSON. */
const maxFilledChars = 16 * 1024 * 1024;

/**
 * Fills the results of earlier calls into parameters.
 *
 * @param resultOf the result of an earlier call, by its index
 */
export function fillAll(
  args: unknown,
  from: readonly EarlierResult[],
  resultOf: (call: number) => Fields,
): { readonly args: unknown } | { readonly problem: string } {
  let filled = args;
  let size = 0;
  for (const { at, call, path } of from) {
    const result = resultOf(call);
    const value = pick(result, path);
    if (value === undefined) {
      return { problem: `params.${at.join(".")}: the result of call ${call} ${pickProblem(result, path)}` };
    }
    size += JSON.stringify(value).length;
    if (size > maxFilledChars) {
      const limit = maxFilledChars.toLocaleString("en");
      return { problem: `params: its ${from.length} references ($from) fill in more than ${limit} characters` };
    }
    filled = fill(filled, at, value);
  }
  return { args: filled };
}

/** Copies parameters with a value in a place. */
function fill(target: unknown, at: readonly string[], value: unknown): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return value;
  if (Array.isArray(target))
    return target.map((item: unknown, on) => (String(on) === name ? fill(item, rest, value) : item));
  const fields = target as Fields;
  return { ...fields, [name]: fill(fields[name], rest, value) };
}

/** The value at a path of a result. Undefined when there is none. `items[0].id` means `items.0.id`. */
function pick(result: Fields, path: string | undefined): unknown {
  return path === undefined || path === "" ? result : valueAt(result, path.replaceAll(/\[(\d+)\]/g, ".$1"));
}

/** Why a path has no value in a result. */
function pickProblem(result: Fields, path: string | undefined): string {
  const fields = Object.keys(result).slice(0, 10).join(", ") || "nothing";
  return `has no ${path}; it has ${fields}, and a path is written items.0.id`;
}

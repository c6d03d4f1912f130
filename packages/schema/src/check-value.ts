import { isObject } from "./is-object.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { MatchesPattern } from "./patterns.ts";
import { clip, quoteName, visibleText } from "./quote-name.ts";
import type { CheckResult, PendingPaths } from "./schema.ts";
import { constantsOf, listOf, referenced, typeOfValue } from "./schema-walk.ts";
import { unknownField } from "./unknown-field.ts";

const maxReported = 5;
const maxProblemCharacters = 300;
/** Maximum number of steps: one per schema that is applied to a value, and per name or constant that is compared. */
const maxSteps = 300_000;
const maxDepth = 200;
const maxShownValues = 10;
const maxShownCharacters = 60;
/** Maximum number of known fields that an unknown one is compared with. */
const maxSuggestedFrom = 100;

/** Names of fields and indexes of items. */
type Path = readonly (string | number)[];

interface Problem {
  readonly path: Path;
  readonly message: string;
}

class CheckLimitExceeded extends Error {}

interface CheckOptions {
  /** Paths of values that are not known yet. They are not checked. */
  readonly pending?: PendingPaths | undefined;
  readonly matches: MatchesPattern;
}

/**
 * Checks a value with a JSON Schema, whose author may be hostile: the number of steps is limited, and references stay inside the document. Checks
 * types, constants, fields, items, limits, patterns, common formats, unions and intersections. Other keywords are not checked.
 */
export function checkValue(root: JsonSchema, value: unknown, options: CheckOptions): CheckResult {
  try {
    const problems = new ValueCheck(root, options).problems(root, value, []);
    if (problems.length === 0) return { ok: true, value };
    return { ok: false, message: [...new Set(problems.map(render))].slice(0, maxReported).join("; ") };
  } catch (error) {
    if (!(error instanceof CheckLimitExceeded)) throw error;
    return { ok: false, message: "args: too large or too deep to check against the tool's schema; send less" };
  }
}

class ValueCheck {
  readonly #root: JsonSchema;
  readonly #pending: ReadonlySet<string>;
  readonly #matches: MatchesPattern;
  /** The problems of each object, and of each path of another value, with each schema. A schema that refers to itself for the same value finds none. */
  readonly #known = new Map<object, Map<object, readonly Problem[]>>();
  #steps = 0;
  #depth = 0;

  constructor(root: JsonSchema, { pending = [], matches }: CheckOptions) {
    this.#root = root;
    this.#pending = new Set(pending.map(keyOf));
    this.#matches = matches;
  }

  problems(schema: unknown, value: unknown, path: Path): readonly Problem[] {
    this.#spend(1);
    if (this.#pending.size > 0 && this.#pending.has(keyOf(path))) return [];
    if (schema === false) return [{ path, message: "is not accepted" }];
    if (!isObject(schema)) return [];
    const node = value !== null && typeof value === "object" ? value : path;
    const known = this.#known.get(node) ?? new Map<object, readonly Problem[]>();
    this.#known.set(node, known);
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, []);
    const found = this.#check(schema, value, path);
    known.set(schema, found);
    return found;
  }

  #check(schema: JsonSchema, value: unknown, path: Path): readonly Problem[] {
    const own = this.#ownProblems(schema, value).map((message) => ({ path, message }));
    if (own.length > 0) return own;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new CheckLimitExceeded();
    const apply = (inner: unknown) => this.problems(inner, value, path);
    const found = [
      ...this.#inside(schema, value, path),
      ...apply(referenced(this.#root, schema["$ref"])),
      ...listOf(schema["allOf"]).flatMap(apply),
      ...["anyOf", "oneOf"].flatMap((keyword) => nearestForm(listOf(schema[keyword]).map(apply))),
    ];
    this.#depth -= 1;
    return found.slice(0, maxReported);
  }

  /** @throws CheckLimitExceeded */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new CheckLimitExceeded();
  }

  /** The problems of a value itself, without its fields and items. */
  #ownProblems(schema: JsonSchema, value: unknown): readonly string[] {
    const types = [schema["type"]].flat().filter((type) => typeof type === "string");
    const constants = constantsOf(schema);
    this.#spend(types.length + constants.length);
    if (typeof value === "string") this.#spend(Math.ceil(value.length / 100));
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
      const expected = types.slice(0, maxShownValues).map(clipped).join(" or ");
      return [`expected ${expected}, received ${typeOfValue(value)}`];
    }
    // Objects and lists are compared by their type.
    const isScalar = value === null || typeof value !== "object";
    const isConstant = (one: unknown) => (isScalar ? one === value : typeOfValue(one) === typeOfValue(value));
    if (constants.length > 0 && !constants.some(isConstant)) {
      const shown = constants.slice(0, maxShownValues).map((one) => clipped(JSON.stringify(one)));
      const more = constants.length > maxShownValues ? ", …" : "";
      return [`expected ${shown.length > 1 ? "one of " : ""}${shown.join(", ")}${more}`];
    }
    return [...limitProblems(schema, value), ...(typeof value === "string" ? this.#textProblems(schema, value) : [])];
  }

  #textProblems({ pattern, format }: JsonSchema, text: string): readonly string[] {
    const problems: string[] = [];
    if (typeof pattern === "string") {
      const { isMatch, steps } = this.#matches(pattern, text);
      this.#spend(steps);
      if (!isMatch) problems.push(`expected text that matches ${pattern}`);
    }
    if (typeof format === "string" && formats.get(format)?.(text) === false) problems.push(`expected ${format}`);
    return problems;
  }

  #inside(schema: JsonSchema, value: unknown, path: Path): readonly Problem[] {
    if (Array.isArray(value)) {
      const { prefixItems, items, additionalItems } = schema;
      // Drafts up to 2019-09 have the first items in `items`.
      const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [listOf(prefixItems), items];
      return value.flatMap((item, at) => this.problems(at < first.length ? first[at] : rest, item, [...path, at]));
    }
    return isObject(value) ? this.#fieldProblems(schema, value, path) : [];
  }

  #fieldProblems(schema: JsonSchema, value: JsonSchema, path: Path): readonly Problem[] {
    const required = listOf(schema["required"]).filter((name) => typeof name === "string");
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    this.#spend(required.length);
    const missing = required.filter((name) => !Object.hasOwn(value, name));
    const additional = schema["patternProperties"] === undefined ? schema["additionalProperties"] : true;
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const at = [...path, name];
      if (Object.hasOwn(properties, name)) return this.problems(properties[name], field, at);
      return additional === false ? [this.#unknown(name, properties, at)] : this.problems(additional, field, at);
    });
    return [
      ...missing
        .slice(0, maxReported)
        .map((name) => ({ path: [...path, name], message: requiredText(properties, name) })),
      ...fields,
    ];
  }

  #unknown(name: string, properties: JsonSchema, path: Path): Problem {
    const known = Object.keys(properties).slice(0, maxSuggestedFrom);
    this.#spend(5 * known.length);
    return { path, message: unknownField(clipped(name), [known.map(clipped)]) };
  }
}

/** The problems of the form that the value matches best: the one whose problems are deepest. In case of a tie, the first problem of each. */
function nearestForm(forms: readonly (readonly Problem[])[]): readonly Problem[] {
  if (forms.some((problems) => problems.length === 0)) return [];
  const depth = (problems: readonly Problem[]) => Math.min(...problems.map(({ path }) => path.length));
  const deepest = Math.max(...forms.map(depth));
  const nearest = forms.filter((problems) => depth(problems) === deepest);
  const [only, other] = nearest;
  if (only === undefined || other === undefined) return only ?? [];
  const messages = new Set(nearest.slice(0, 100).map(([problem]) => problem?.message));
  return [{ path: only[0]?.path ?? [], message: clip([...messages].slice(0, 5).join(", or "), maxProblemCharacters) }];
}

function isOfType(value: unknown, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOfValue(value) === type;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const dateTime = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** The formats that are checked, each in linear time. Other formats are ignored. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["uuid", (text: string) => uuid.test(text)],
  ["date", (text: string) => date.test(text)],
  ["date-time", (text: string) => dateTime.test(text)],
  ["email", (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text: string) => URL.canParse(text)],
]);

const limits = [
  ["minimum", "at least", (value: number, bound: number) => value >= bound],
  ["maximum", "at most", (value: number, bound: number) => value <= bound],
  ["exclusiveMinimum", "more than", (value: number, bound: number) => value > bound],
  ["exclusiveMaximum", "less than", (value: number, bound: number) => value < bound],
] as const;

const lengthNames: Readonly<Record<string, readonly [noun: string, plural: string, keyword: string]>> = {
  array: ["item", "items", "Items"],
  string: ["character", "characters", "Length"],
  object: ["property", "properties", "Properties"],
};

/** Numbers are compared with `minimum` and such; texts, lists and objects by their length. */
function limitProblems(schema: JsonSchema, value: unknown): readonly string[] {
  if (typeof value === "number") {
    return limits.flatMap(([keyword, words, holds]) => {
      const bound = schema[keyword];
      return typeof bound !== "number" || holds(value, bound) ? [] : [`expected ${words} ${bound}`];
    });
  }
  const [noun, plural, keyword] = lengthNames[typeOfValue(value)] ?? [];
  if (keyword === undefined) return [];
  const [min, max] = [schema[`min${keyword}`], schema[`max${keyword}`]];
  if (typeof min !== "number" && typeof max !== "number") return [];
  const size = typeof value === "string" ? codePoints(value) : Object.keys(value as object).length;
  const counted = (count: number) => `${count} ${count === 1 ? noun : plural}`;
  return [
    ...(typeof min === "number" && size < min ? [`expected at least ${counted(min)}`] : []),
    ...(typeof max === "number" && size > max ? [`expected at most ${counted(max)}`] : []),
  ];
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function requiredText(properties: JsonSchema, name: string): string {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const type = isObject(property) ? property["type"] : undefined;
  return `required${typeof type === "string" ? `, expected ${clipped(type)}` : ""}`;
}

function render({ path, message }: Problem): string {
  const at = path.map((part, index) =>
    typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${quoteName(clipped(part))}`,
  );
  // Names and values of an untrusted schema must not imitate our lines.
  return clip(visibleText(`${at.join("") || "args"}: ${message}`), maxProblemCharacters);
}

function keyOf(path: Path): string {
  return path.join("\0");
}

function clipped(text: string): string {
  return clip(text, maxShownCharacters);
}

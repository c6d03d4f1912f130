import { clip, isObject, quoteName, visibleJson, type JsonSchema, type Tool, type ToolSchema } from "@toolpacks/core";
import { referenced } from "@toolpacks/schema";

/** One parameter of a tool, read from its JSON Schema. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** The parameters of an object schema. Required ones come first; otherwise the author's order is kept. */
export function parameters(schema: JsonSchema): readonly Parameter[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const all = Object.entries(asObject(schema["properties"])).map(([name, child]) => ({
    name,
    required: required.has(name),
    schema: asObject(child),
  }));
  return [...all.filter((parameter) => parameter.required), ...all.filter((parameter) => !parameter.required)];
}

/** A tool's signature with at most 100 parameters: `fs_read(path: string, startLine?: int)`. */
export function signature(tool: Pick<Tool, "name" | "input">): string {
  const all = parameters(textSchema(tool.input));
  const texts = all.slice(0, maxShownParameters).map((parameter) => parameterText(parameter));
  return `${tool.name}(${[...texts, ...(texts.length < all.length ? ["…"] : [])].join(", ")})`;
}

const maxShownParameters = 100;

/** Maximum fields of an object, or members of a union, that are shown. */
const maxShownMembers = 30;
/** Maximum length of a value or name that is shown. */
const maxShownCharacters = 100;
/** Maximum nesting of arrays and unions that is shown. */
const maxNesting = 8;

/** How much of a type is shown. */
export interface TypeStyle {
  /** Nesting of objects that are shown with their fields. Default 1. */
  readonly depth?: number;
  /** Maximum values of an enum. Default 6. */
  readonly maxValues?: number;
  /** Whether the type is valid TypeScript: what is left out and formats are comments. Default false: the shorter words that a signature has, such as `int`. */
  readonly isCode?: boolean;
  /** Whether `date-time` is shown in place of `string`. Default false. */
  readonly hasFormats?: boolean;
  /** Creates a text after the type of a field, such as its default. `depth` is that of the field. Default: none. */
  readonly note?: (
    schema: JsonSchema,
    field: { readonly name: string; readonly type: string; readonly depth: number },
  ) => string;
  /** The document that references point into. Default: references are not followed. */
  readonly root?: JsonSchema;
  /** How many types may still be shown, counted down. The others are `any`. Default: no limit. */
  readonly left?: { types: number };
}

/** A type as a model reads it: `string`, `int`, `"asc"|"desc"`, `string[]`, `{ old: string, new: string }[]`. */
export function typeText(schema: JsonSchema, style: TypeStyle = {}, nesting = 0): string {
  const { const: constant, enum: values, type, items, format } = schema;
  if (constant !== undefined) return literalText(constant, style);
  if (Array.isArray(values)) return enumText(values, style);
  if (nesting > maxNesting || (style.left !== undefined && (style.left.types -= 1) < 0)) return "any";
  const inner = (one: unknown) => typeText(asObject(one), style, nesting + 1);
  const target = style.root && referenced(style.root, schema["$ref"]);
  if (target !== undefined) return inner(target);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return unionText(branches, inner, style);
  if (Array.isArray(type)) return unionText(type, (one) => inner({ ...schema, type: one }), style);
  if (type === "array") {
    const item = inner(items);
    const isUnion = item.includes("|") && asObject(items)["type"] !== "object";
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object" && (style.depth ?? 1) > 0) return objectText(schema, style, inner);
  if (type === "integer") return style.isCode === true ? "number" : "int";
  if (style.hasFormats === true && typeof format === "string" && formats.has(format))
    return style.isCode === true ? `string /* ${format} */` : format;
  return typeof type === "string" && typeNames.has(type) ? type : "any";
}

const formats: ReadonlySet<string> = new Set(["date-time", "date", "time", "duration", "email", "uri", "uuid"]);
const typeNames: ReadonlySet<string> = new Set(["string", "number", "boolean", "object", "null"]);

/** The schema that texts are made from. For another server's tool it is the full schema, with names as the server wrote them. */
export function textSchema(schema: ToolSchema): JsonSchema {
  return schema.zod === undefined ? schema.full() : schema.json();
}

export function asObject(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

const plainName = /^[\p{L}\p{M}\p{N}_$@#.*[\]/-]+$/u;

const identifier = /^[A-Za-z_$][\w$]*$/;

/** A name as shown in a signature. A name with unusual characters is shown as a JSON string, in code each that is no identifier. */
export function nameText(name: string, { isCode = false }: TypeStyle = {}): string {
  const shown = clip(name, maxShownCharacters);
  if (isCode) return identifier.test(shown) ? shown : visibleJson(shown);
  return plainName.test(name.slice(0, maxShownCharacters)) ? quoteName(shown) : visibleJson(shown);
}

/** A parameter with its type: `lines?: int`. */
export function parameterText({ name, required, schema }: Parameter, style: TypeStyle = {}): string {
  const type = typeText(schema, style);
  return `${nameText(name, style)}${required ? "" : "?"}: ${type}${style.note?.(schema, { name, type, depth: style.depth ?? 1 }) ?? ""}`;
}

function literalText(value: unknown, { isCode = false }: TypeStyle): string {
  const text = visibleJson(value);
  return isCode && text.length > maxShownCharacters ? "any /* … */" : clip(text, maxShownCharacters);
}

function enumText(values: readonly unknown[], style: TypeStyle): string {
  const { maxValues = 6 } = style;
  const shown = values.slice(0, maxValues).map((value) => literalText(value, style));
  return joined(shown, values.length > maxValues, style);
}

function unionText(types: readonly unknown[], text: (type: unknown) => string, style: TypeStyle): string {
  return joined([...new Set(types.slice(0, maxShownMembers).map(text))], types.length > maxShownMembers, style);
}

function joined(members: readonly string[], isCut: boolean, { isCode = false }: TypeStyle): string {
  if (members.length === 0) return "any";
  return `${members.join("|")}${isCut ? (isCode ? " /* … */" : "|…") : ""}`;
}

function objectText(schema: JsonSchema, style: TypeStyle, inner: (type: unknown) => string): string {
  const all = parameters(schema);
  const { isCode = false } = style;
  const { additionalProperties: values } = schema;
  if (all.length === 0) return isCode && isObject(values) ? `Record<string, ${inner(values)}>` : "object";
  const inside = { ...style, depth: (style.depth ?? 1) - 1 };
  const fields = all.slice(0, maxShownMembers).map((parameter) => parameterText(parameter, inside));
  const more = all.length > maxShownMembers ? [isCode ? "/* … */" : "…"] : [];
  return `{ ${[...fields, ...(isCode && isObject(values) ? ["[key: string]: any"] : []), ...more].join(", ")} }`;
}

/** The first words of a text. */
export function cutWords(text: string, maxWords: number): string {
  const words = text.split(/\s+/);
  return words.length <= maxWords ? text : `${words.slice(0, maxWords).join(" ")}…`;
}

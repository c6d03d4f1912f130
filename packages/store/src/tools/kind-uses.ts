import { isObject, type JsonSchema, type Tool, type ToolUse, type IndexedField, type Kind } from "@toolpacks/core";
import { describeKind } from "../kind-layout.ts";
import { writableSchema } from "../record-fields.ts";

interface KindUses {
  readonly kinds: readonly Kind[];
  /** Words for what the tool does, in addition to those of the kind. */
  readonly keywords: readonly string[];
  /** The fields of the tool's input that the kind determines. */
  readonly fields: (kind: Kind, properties: Properties) => Properties;
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** The uses of a record tool: one for each kind. */
export function kindUses(tool: Tool, { kinds, keywords, fields }: KindUses): () => readonly ToolUse[] {
  let uses: readonly ToolUse[] | undefined;
  return () =>
    (uses ??= kinds.map((kind) => ({
      name: kind.name,
      description: kind.description,
      keywords: [...keywords, ...kind.keywords],
      kind,
      // The same for every tool: only its own keywords decide which of them is meant.
      searched: () => recordSchema(kind),
      input: () => withFields(tool.input.full(), (given) => ({ kind: { const: kind.name }, ...fields(kind, given) })),
    })));
}

function withFields(schema: JsonSchema, fields: (properties: Properties) => Properties): JsonSchema {
  const { properties } = schema;
  const given = (isObject(properties) ? properties : {}) as Properties;
  return { ...schema, properties: { ...given, ...fields(given) } };
}

/** The schema of a record that a caller writes. */
export function recordSchema(kind: Kind): JsonSchema {
  return writableSchema(describeKind(kind).schema);
}

/** The schema of a filter for the kind: its indexed fields. The description says which conditions there are. */
export function filterSchema(kind: Kind, { description }: JsonSchema): JsonSchema {
  const { schema, indexed } = describeKind(kind);
  const { properties } = schema;
  const fields = (isObject(properties) ? properties : {}) as Properties;
  const conditions = indexed.map(({ path, type }) => {
    const { description: _text, default: _value, ...field } = fields[path] ?? typeSchema(type);
    return [path, field] as const;
  });
  return { type: "object", properties: Object.fromEntries([...conditions, ["id", { type: "string" }]]), description };
}

function typeSchema(type: IndexedField["type"]): JsonSchema {
  if (type === "strings") return { type: "array", items: { type: "string" } };
  return type === "numbers" ? { type: "array", items: { type: "number" } } : { type };
}

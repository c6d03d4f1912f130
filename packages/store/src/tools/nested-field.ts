import { isObject, closest, ToolError, type FieldPath, type Kind } from "@toolpacks/core";
import { describeKind } from "../kind-layout.ts";

/** The field of a record that a path begins with. */
export function rootField(path: FieldPath): string {
  return path.split(".", 1)[0] ?? path;
}

/**
 * Checks a dotted path to a value in a record.
 *
 * @throws ToolError `invalid_input` if the schema has no such value
 */
export function checkNestedField(kind: Kind, path: FieldPath): void {
  const names = path.split(".");
  if (names.length === 1) return;
  let schema: unknown = describeKind(kind).schema;
  for (const [at, name] of names.entries()) {
    const properties = isObject(schema) ? schema["properties"] : undefined;
    // Without declared properties, any name may be in the record.
    if (isObject(schema) && !isObject(properties) && !isPlain(schema)) return;
    const known = isObject(properties) ? Object.keys(properties) : [];
    if (!known.includes(name)) {
      if (isObject(schema) && isOpen(schema)) return;
      throw unknownNested({ kind: kind.name, path, around: names.slice(0, at).join("."), name, known });
    }
    schema = isObject(properties) ? properties[name] : undefined;
  }
}

/** Whether the schema is of values without named fields: texts, numbers, lists. */
function isPlain({ type }: Readonly<Record<string, unknown>>): boolean {
  return typeof type === "string" && type !== "object";
}

function isOpen({ type, additionalProperties }: Readonly<Record<string, unknown>>): boolean {
  return type === "object" && additionalProperties !== false && additionalProperties !== undefined;
}

interface Unknown {
  readonly kind: string;
  readonly path: string;
  /** The path of the value that lacks the name. */
  readonly around: string;
  readonly name: string;
  readonly known: readonly string[];
}

function unknownNested({ kind, path, around, name, known }: Unknown): ToolError {
  const near = closest(name, known);
  const hint = near === undefined ? "" : `, did you mean ${around}.${near}?`;
  const has = known.length === 0 ? "has no named values, show all of it" : `has ${known.join(", ")}`;
  return new ToolError("invalid_input", `fields: a ${kind} has no ${JSON.stringify(path)}${hint}`, `${around} ${has}.`);
}

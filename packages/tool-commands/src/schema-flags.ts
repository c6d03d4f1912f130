import { Option } from "commander";
import { collect } from "@toolpacks/command-line";
import { isObject, type JsonSchema } from "@toolpacks/core";
import { itemsOf } from "./argument-pairs.ts";
import { branchesOf, constantsOf, typesOf } from "@toolpacks/schema";

/** A value of a tool's arguments that a flag or a word sets. */
export interface SchemaField {
  /** Path in the arguments, such as `where.label`, or `issues.0.title` for the first item of a list. */
  readonly path: string;
  /** The last name of the path, as a flag without dashes. Undefined: another field or a flag of the command has the name. */
  readonly flag: string | undefined;
  readonly description: string;
  readonly isRequired: boolean;
  /** Its types, and those of its items. */
  readonly types: ReadonlySet<string>;
  readonly constants: readonly string[];
  /** Whether the constants are the only values. */
  readonly isClosed: boolean;
}

/**
 * The fields of an input schema that flags set: its own, and those of objects in it. A list of objects that is required is set by the fields of its first
 * item. Deeper fields are set by `key.field=value`.
 *
 * @param taken flags of the command, which no field takes
 */
export function fieldsOf(input: JsonSchema, taken: readonly string[]): readonly SchemaField[] {
  const own = propertiesOf(input, [input], "").flatMap((property) => {
    const { path, branches, isRequired } = property;
    if (isScalar(branches)) return [property];
    const items = itemsOf(input, branches);
    const nested = [
      ...propertiesOf(input, branches, `${path}.`),
      ...(isRequired ? propertiesOf(input, items, `${path}.0.`) : []),
    ];
    if (nested.length === 0) return [property];
    return nested.map((one) => ({ ...one, isRequired: isRequired && one.isRequired }));
  });
  const used = new Set(taken);
  // A field of the schema itself gets its name before a nested one.
  const named = new Map(
    own
      .toSorted((one, other) => depth(one.path) - depth(other.path))
      .map(({ path }) => {
        const flag = kebab(path.split(".").at(-1) ?? "");
        const isFree = !used.has(flag);
        used.add(flag);
        return [path, isFree ? flag : undefined] as const;
      }),
  );
  return own.map(({ path, isRequired, branches, description }) => {
    const items = itemsOf(input, branches);
    const types = new Set([...branches, ...items].flatMap(typesOf));
    const constants = [...branches, ...items]
      .flatMap(constantsOf)
      .filter((one) => one !== null)
      .map(String);
    const isClosed = branches.every(
      (one) => constantsOf(one).length > 0 || !typesOf(one).some((type) => type !== "null"),
    );
    return { path, flag: named.get(path), description, isRequired, types, constants, isClosed };
  });
}

/** The flags of fields. A field of a list is repeatable, and one that is true or false has a form with `no-`. */
export function flagsOf(fields: readonly SchemaField[]): readonly Option[] {
  return fields.flatMap(({ flag, description, types, constants, isClosed }) => {
    if (flag === undefined) return [];
    if (types.size === 1 && types.has("boolean")) {
      return [new Option(`--${flag}`, description), new Option(`--no-${flag}`, description).hideHelp()];
    }
    const isList = types.has("array");
    const notes = isList ? `${description}${description === "" ? "" : " "}(repeatable)` : description;
    const option = new Option(`--${flag} <${placeholder(types)}>`, notes);
    const checked = isClosed && constants.length > 0 && !isList;
    return [checked ? option.choices([...new Set(constants)]) : option.argParser(collect)];
  });
}

/** Fields that words set, in order: the required ones, or else the first field, if it is text. The last one may be a list. */
export function positionalFields(fields: readonly SchemaField[]): readonly SchemaField[] {
  const isPlain = ({ types }: SchemaField) => !types.has("object");
  const required = fields.filter(({ isRequired }) => isRequired);
  if (required.length > 0) return required.every(isPlain) ? required : required.filter(isPlain);
  const [first] = fields;
  const isText = first !== undefined && !first.path.includes(".") && isPlain(first) && first.types.has("string");
  return isText ? [first] : [];
}

/** A name with hyphens: `issueType`, `issue_type` and `issue-type` are the same flag. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}

interface Property {
  readonly path: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly branches: readonly JsonSchema[];
}

function propertiesOf(root: JsonSchema, schemas: readonly unknown[], prefix: string): readonly Property[] {
  const found = new Map<string, Property>();
  for (const { properties, required } of branchesOf(root, schemas)) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      if (found.has(name)) continue;
      const branches = branchesOf(root, [schema]);
      const text = branches.map((one) => one["description"]).find((one) => typeof one === "string");
      const isRequired = Array.isArray(required) && required.includes(name);
      found.set(name, { path: `${prefix}${name}`, description: text ?? "", isRequired, branches });
    }
  }
  return [...found.values()];
}

/** Whether a value may be something other than an object with known fields, or a list of such. */
function isScalar(branches: readonly JsonSchema[]): boolean {
  return branches.flatMap(typesOf).some((type) => type !== "object" && type !== "array" && type !== "null");
}

function placeholder(types: ReadonlySet<string>): string {
  if (types.has("string")) return "text";
  if (types.has("number") || types.has("integer")) return "number";
  return types.has("object") || types.size === 0 ? "json" : "value";
}

function depth(path: string): number {
  return path.split(".").length;
}

import { isObject, listWithTotal, jsonValue } from "@toolpacks/core";
import { JsonNode, JsonTree } from "./json-tree.ts";
import { jsonTable } from "../query/json-table.ts";
import { columnNames } from "../query/table.ts";
import { queriedTable, type DescribeShape, type Shape } from "./shape.ts";
import { fits, shown, shownJson } from "./shown.ts";

interface Detail {
  readonly levels: number;
  readonly fields: number;
  /** Whether fields with few distinct values show them. */
  readonly values: boolean;
}

/** From the richest description to the poorest. */
const details: readonly Detail[] = [
  [4, 40],
  [3, 30],
  [2, 30],
  [3, 12],
  [2, 16],
  [2, 10],
  [2, 6],
  [1, 30],
  [1, 12],
  [1, 5],
  [1, 2],
].flatMap(([levels = 1, fields = 1]) => [true, false].map((values) => ({ levels, fields, values })));

/** Share of the tokens for the structure. The rest is for one item. */
const structureShare = 0.65;
/** Maximum characters of JSON that is parsed for its shape. */
const maxCharacters = 8 * 1024 * 1024;
/** Fields from which an object of similar values counts as a map. */
const minMapFields = 16;
const plainName = /^[A-Za-z_$][\w$-]*$/;

/** JSON and JSON lines as paths with counts, and one item. */
export const jsonShape: DescribeShape = (text, maxTokens) => {
  if (text.length > maxCharacters || !/^\s*[[{]/.test(text.slice(0, 1_000))) return undefined;
  const whole = jsonValue(text);
  if (whole === undefined) {
    const lines = linesTree(text);
    return (
      lines && describeTree(lines, { start: `${lines.count} JSON lines: `, label: "line 1", rows: lines, maxTokens })
    );
  }
  const tree = new JsonTree();
  tree.add(whole);
  const root = tree.root ?? new JsonNode(whole);
  const [path, list] = largestList(root, "$") ?? [];
  const { counted } = listWithTotal(whole) ?? {};
  const count = counted === undefined ? "" : `, ${counted}`;
  const shape = describeTree(root, { start: `JSON${count}: `, label: `${path}[0]`, rows: list?.items, maxTokens });
  // A query may choose another list, or an object whose fields are rows.
  return shape.table === undefined ? shape : { ...shape, table: queriedTable(jsonTable(whole).columns) };
};

interface TreeOptions {
  /** What the values are, such as `JSON: `. */
  readonly start: string;
  /** The name of the first of the rows. */
  readonly label: string;
  readonly rows: JsonNode | undefined;
  readonly maxTokens: number;
}

/** Describes values in as much detail as fits, with the first of their rows. */
export function describeTree(root: JsonNode, { start, label, rows, maxTokens }: TreeOptions): Shape {
  const budget = Math.floor(maxTokens * structureShare);
  const structure =
    details.map((detail) => start + labelled("", root, detail)).find((one) => fits(one, budget)) ??
    `${start}{${root.maxFields} fields}`;
  const example = rows && exampleLine(label, rows.first, (line) => fits(`${structure}\n${line}`, maxTokens));
  const isTable = rows !== undefined && rows.objects > 0 && rows.objects === rows.count;
  return {
    text: example === undefined ? structure : `${structure}\n${example}`,
    table: isTable ? queriedTable(columnNames([...rows.fields.keys()])) : undefined,
  };
}

/** The values of JSON lines. Undefined for another text. */
function linesTree(text: string): JsonNode | undefined {
  const tree = new JsonTree();
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = jsonValue(line);
    if (value === undefined) return undefined;
    tree.add(value);
  }
  return tree.root;
}

/** The name of a field with the lengths of its lists, and its type. */
function labelled(name: string, node: JsonNode, detail: Detail): string {
  let label = name;
  let inner = node;
  // A list of lists has several lengths.
  for (; inner.lists > 0 && inner.lists === inner.count;) {
    label += inner.minItems === inner.maxItems ? `[${inner.maxItems}]` : `[${inner.minItems}-${inner.maxItems}]`;
    if (inner.items === undefined) return label;
    inner = inner.items;
  }
  const type = describe(inner, detail);
  return label === "" ? type : `${label}: ${type}`;
}

function describe(node: JsonNode, detail: Detail): string {
  const types: string[] = [];
  if (node.objects > 0) types.push(describeObject(node, detail));
  if (node.lists > 0) types.push(node.items === undefined ? "[]" : `[${describe(node.items, detail)}]`);
  const counted = node.count === 1 ? node.values.only : undefined;
  const repeated = detail.values && !node.scalars.has("number") ? node.values.repeated : undefined;
  if (counted !== undefined && types.length === 0) types.push(shown(counted, 30));
  else if (repeated !== undefined) types.push(...repeated.map(([value, count]) => `${shown(value, 20)} ${count}×`));
  else types.push(...node.scalars);
  return types.join("|") || "…";
}

function describeObject(node: JsonNode, detail: Detail): string {
  const { levels, fields: maxShown } = detail;
  if (node.maxFields === 0) return "{}";
  const inner = { ...detail, levels: levels - 1 };
  const fields = [...node.fields];
  if (isMap(node)) {
    const [name, first] = fields[0] ?? [];
    const like = name === undefined || first === undefined ? "" : labelled(shownName(name), first, inner);
    return levels <= 0 ? `{${node.maxFields} fields}` : `{${node.maxFields} fields like ${like}}`;
  }
  if (levels <= 0) return "{…}";
  const parts = fields.slice(0, maxShown).map(([name, field]) => {
    const isOptional = field.count < node.objects;
    return labelled(`${shownName(name)}${isOptional ? "?" : ""}`, field, inner);
  });
  const more = Math.max(node.maxFields, node.fields.size) - parts.length;
  return `{${parts.join(", ")}${more > 0 ? `, … ${more} more` : ""}}`;
}

/** Whether the names of an object's fields are data: many fields, all with objects or lists. */
function isMap(node: JsonNode): boolean {
  if (node.fields.size < minMapFields) return false;
  const [first, ...rest] = node.fields.values();
  return (
    first !== undefined && rest.every((one) => (one.objects > 0 ? first.objects > 0 : one.lists > 0 && first.lists > 0))
  );
}

function shownName(name: string): string {
  return plainName.test(name) && name.length <= 40 ? name : shownJson(name, 40);
}

/** The first item of the largest list that is not in another list. */
function exampleLine(label: string, first: unknown, left: (line: string) => boolean): string | undefined {
  return [
    [80, 20],
    [40, 12],
    [24, 8],
    [16, 4],
    [12, 2],
  ]
    .map(([characters = 12, fields = 2]) => `${label} = ${shortened(first, { characters, fields })}`)
    .find(left);
}

function largestList(node: JsonNode, path: string): readonly [string, JsonNode] | undefined {
  if (node.lists > 0) return node.count === 1 && node.items !== undefined ? [path, node] : undefined;
  if (node.count !== 1) return undefined;
  let largest: readonly [string, JsonNode] | undefined;
  for (const [name, field] of node.fields) {
    const step = plainName.test(name) && !name.includes("-") ? `.${name}` : `[${shownJson(name, 40)}]`;
    const found = largestList(field, `${path}${step}`);
    if (found !== undefined && found[1].maxItems > (largest?.[1].maxItems ?? 0)) largest = found;
  }
  return largest;
}

interface Shortening {
  readonly characters: number;
  readonly fields: number;
}

/** JSON of a value with short texts and few fields, two levels deep. */
function shortened(value: unknown, limits: Shortening, level = 0): string {
  if (typeof value === "string") return shownJson(value, limits.characters);
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return level > 1 ? "[…]" : `[${shortened(value[0], limits, level + 1)}${value.length > 1 ? ", …" : ""}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value);
  if (fields.length === 0) return "{}";
  if (level > 1) return "{…}";
  const parts = fields
    .slice(0, limits.fields)
    .map(([name, inner]) => `${shownName(name)}: ${shortened(inner, limits, level + 1)}`);
  return `{${parts.join(", ")}${fields.length > limits.fields ? ", …" : ""}}`;
}

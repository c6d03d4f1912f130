import { z } from "zod";
import { sides } from "./geometry.ts";

export const nodeTypes = ["text", "file", "link", "group"] as const;
export type NodeType = (typeof nodeTypes)[number];

/** The field that holds the content of each type of node. */
export const contentFields = { text: "text", file: "file", link: "url", group: "label" } as const;

const colorPattern = /^([1-6]|#[0-9a-fA-F]{6})$/;
const coordinate = z.int().min(-1_000_000).max(1_000_000);
const length = z.int().min(1).max(100_000);
const short = z.string().max(4096);
const end = z.enum(["none", "arrow"]);

export const itemId = z.string().min(1).max(200);

const look = {
  color: z
    .string()
    .max(7)
    .regex(colorPattern, "expected 1 to 6 or #RRGGBB")
    .describe("1 red, 2 orange, 3 yellow, 4 green, 5 cyan, 6 purple, or #RRGGBB"),
  label: short.describe("label of a group or edge"),
};

const nodeOnly = {
  text: z.string().max(100_000).describe("Markdown of a text node"),
  file: short.min(1).describe("path of a file node"),
  subpath: short.startsWith("#").describe("heading or block of the file, with #"),
  url: short.min(1).describe("address of a link node"),
  background: short.describe("image file behind a group"),
  backgroundStyle: z.enum(["cover", "ratio", "repeat"]).describe("how the image fills a group"),
  x: coordinate.describe("pixels; laid out if x and y are left out"),
  y: coordinate.describe("pixels, downwards"),
  width: length.describe("pixels"),
  height: length.describe("pixels"),
};

const edgeOnly = {
  fromSide: z.enum(sides).describe("side of the first node"),
  toSide: z.enum(sides).describe("side of the second node"),
  fromEnd: end.describe("default none"),
  toEnd: end.describe("default arrow"),
};

/** A node to add. Without `type`, its content decides. `group` is the group in which it is laid out, and is not written. */
export const nodeInput = z.strictObject({
  id: itemId.describe("for edges and later changes; default random").optional(),
  type: z.enum(nodeTypes).describe("default: by the content").optional(),
  group: itemId.describe("id of the group to lay it out in").optional(),
  ...z.object({ ...look, ...nodeOnly }).partial().shape,
});

/** An edge to add. */
export const edgeInput = z.strictObject({
  id: itemId.describe("default random").optional(),
  fromNode: itemId.describe("id of a node"),
  toNode: itemId.describe("id of a node"),
  ...z.object({ ...look, ...edgeOnly }).partial().shape,
});

/** Changes of a node or an edge: a value replaces a field, null removes it. */
export const changeInput = z.strictObject({
  id: itemId.describe("node or edge"),
  group: itemId.nullable().describe("lays the node out in this group; null: outside of groups").optional(),
  fromNode: itemId.describe("id of a node").optional(),
  toNode: itemId.describe("id of a node").optional(),
  ...optionalOrNull({ ...look, ...nodeOnly, ...edgeOnly }),
});

export type NodeInput = z.output<typeof nodeInput>;
export type EdgeInput = z.output<typeof edgeInput>;
export type ChangeInput = z.output<typeof changeInput>;

function optionalOrNull<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, schema]) => {
    return [
      name,
      schema
        .nullable()
        .describe(schema.description ?? "")
        .optional(),
    ];
  });
  return Object.fromEntries(entries) as { [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>> };
}

/** The fields of items in files, in the order of a new item. Coordinates have no limits there. */
const position = { x: z.int(), y: z.int(), width: z.int().min(0), height: z.int().min(0) };
const id = z.string();
const color = z.string().regex(colorPattern, "expected 1 to 6 or #RRGGBB").optional();
const head = { id, type: z.enum(nodeTypes) };
const foot = { ...position, color };

export const fileNodes = {
  text: z.looseObject({ ...head, text: z.string(), ...foot }),
  file: z.looseObject({ ...head, file: z.string(), subpath: z.string().startsWith("#").optional(), ...foot }),
  link: z.looseObject({ ...head, url: z.string(), ...foot }),
  group: z.looseObject({
    ...head,
    label: z.string().optional(),
    background: z.string().optional(),
    backgroundStyle: nodeOnly.backgroundStyle.optional(),
    ...foot,
  }),
};

const side = z.enum(sides).optional();

export const fileEdge = z.looseObject({
  id,
  fromNode: z.string(),
  fromSide: side,
  fromEnd: end.optional(),
  toNode: z.string(),
  toSide: side,
  toEnd: end.optional(),
  label: z.string().optional(),
  color,
});

/** The fields of a node of a type. */
export function fieldsOf(type: NodeType): readonly string[] {
  return Object.keys(fileNodes[type].shape);
}

export const edgeFields: readonly string[] = Object.keys(fileEdge.shape);

/** The changes of one call. All are made or none. */
export interface CanvasRequest {
  readonly add: readonly NodeInput[];
  readonly connect: readonly EdgeInput[];
  readonly change: readonly ChangeInput[];
  /** Ids of nodes and edges. Edges of a removed node are removed, too. */
  readonly remove: readonly string[];
}

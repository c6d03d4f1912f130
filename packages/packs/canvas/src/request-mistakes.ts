import { nearest } from "@toolpacks/core";
import { isNodeType } from "./canvas-mistakes.ts";
import type { CanvasDocument } from "./document.ts";
import { contentFields, edgeFields, fieldsOf, type CanvasRequest, type ChangeInput } from "./item-fields.ts";

/** Ids of a canvas after the request, with the type of a node, or `edge`. */
type Known = ReadonlyMap<string, string>;

/** All mistakes of a request that a canvas shows: unknown, repeated and wrong ids, and fields of other types. */
export function requestMistakes(document: CanvasDocument, request: CanvasRequest): readonly string[] {
  const before = idsOf(document);
  const after = new Map(before);
  for (const id of request.remove) after.delete(id);
  const mistakes: string[] = [];
  const claim = (place: string, id: string | undefined, type: string) => {
    if (id === undefined) return;
    if (after.has(id)) mistakes.push(`${place}.id: ${JSON.stringify(id)} exists already`);
    after.set(id, type);
  };
  for (const [at, node] of request.add.entries()) claim(`add[${at}]`, node.id, node.type ?? "text");
  for (const [at, edge] of request.connect.entries()) claim(`connect[${at}]`, edge.id, "edge");
  for (const [at, id] of request.remove.entries()) mistakes.push(...unknownId(`remove[${at}]`, id, before));
  mistakes.push(...addMistakes(request, after), ...changeMistakes(request, after));
  for (const [at, edge] of request.connect.entries()) mistakes.push(...endMistakes(`connect[${at}]`, edge, after));
  return mistakes;
}

function idsOf({ nodes, edges }: CanvasDocument): Known {
  const edgeIds = edges.map(({ fields }) => [fields["id"], "edge"] as const);
  const nodeIds = nodes.map(({ fields }) => [fields["id"], String(fields["type"])] as const);
  return new Map(
    [...edgeIds, ...nodeIds].filter((one): one is readonly [string, string] => typeof one[0] === "string"),
  );
}

function addMistakes({ add }: CanvasRequest, known: Known): readonly string[] {
  return add.flatMap((node, at) => {
    const place = `add[${at}]`;
    const type = node.type ?? "text";
    const { group, x, y } = node;
    const half = (x === undefined) === (y === undefined) ? [] : [`${place}: give both x and y, or neither`];
    const content = contentFields[type];
    const missing = type === "group" || node[content] !== undefined ? [] : [`${place}.${content}: required`];
    const both = group !== undefined && x !== undefined ? [`${place}.group: it is for nodes without x and y`] : [];
    const owner = group === undefined || both.length > 0 ? [] : groupMistakes(`${place}.group`, group, known);
    return [...half, ...missing, ...both, ...owner, ...foreignFields(place, node, fieldsOf(type))];
  });
}

function changeMistakes({ change }: CanvasRequest, known: Known): readonly string[] {
  const seen = new Set<string>();
  return change.flatMap((one, at) => {
    const place = `change[${at}]`;
    const type = known.get(one.id);
    if (type === undefined) return unknownId(`${place}.id`, one.id, known);
    const repeated = seen.has(one.id) ? [`${place}.id: ${JSON.stringify(one.id)} is changed twice`] : [];
    seen.add(one.id);
    if (type === "edge") {
      const group = one.group === undefined ? [] : [`${place}.group: an edge is in no group`];
      return [...repeated, ...group, ...foreignFields(place, one, edgeFields), ...endMistakes(place, one, known)];
    }
    const isPlaced = typeof one.x === "number" || typeof one.y === "number";
    const both = one.group !== undefined && isPlaced ? [`${place}.group: it is for nodes without x and y`] : [];
    const owner = typeof one.group === "string" ? groupMistakes(`${place}.group`, one.group, known) : [];
    const foreign = isNodeType(type) ? foreignFields(place, one, fieldsOf(type)) : [];
    return [...repeated, ...both, ...owner, ...foreign];
  });
}

/** Mistakes of fields that other types of items have. */
function foreignFields(place: string, fields: object, own: readonly string[]): readonly string[] {
  return Object.entries(fields)
    .filter(([field, value]) => value !== undefined && field !== "group" && !own.includes(field))
    .map(([field]) => `${place}.${field}: not a field of this type (${own.slice(1).join(", ")})`);
}

function endMistakes(place: string, edge: Pick<ChangeInput, "fromNode" | "toNode">, known: Known): readonly string[] {
  return (["fromNode", "toNode"] as const).flatMap((field) => {
    const id = edge[field];
    if (id === undefined) return [];
    if (known.get(id) === "edge") return [`${place}.${field}: ${JSON.stringify(id)} is an edge`];
    return unknownId(`${place}.${field}`, id, known);
  });
}

function groupMistakes(place: string, id: string, known: Known): readonly string[] {
  const type = known.get(id);
  if (type === undefined) return unknownId(place, id, known);
  return type === "group" ? [] : [`${place}: ${JSON.stringify(id)} is not a group`];
}

function unknownId(place: string, id: string, known: Known): readonly string[] {
  if (known.has(id)) return [];
  const near = nearest(id, known.keys(), 1).map((name) => `, did you mean ${JSON.stringify(name)}?`);
  return [`${place}: there is no ${JSON.stringify(id)}${near.join("")}`];
}

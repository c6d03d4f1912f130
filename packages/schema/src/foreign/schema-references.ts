import { isObject } from "../is-object.ts";

/** The subschemas that a `$ref` can point to. References never leave the document. */
export interface SchemaReferences {
  /** The subschema of a reference. Undefined if this document has no such subschema. */
  resolve(reference: string): unknown;
  /** True if the document uses `unevaluatedProperties` or `unevaluatedItems`. */
  readonly hasUnevaluated: boolean;
}

/** Maximum number of objects of a document that are searched for anchors. */
const maxIndexed = 100_000;

export function indexReferences(root: unknown): SchemaReferences {
  const anchors = new Map<string, unknown>();
  let hasUnevaluated = false;
  const open: unknown[] = [root];
  for (let indexed = 0; open.length > 0 && indexed < maxIndexed; indexed += 1) {
    const next = open.pop();
    if (next === null || typeof next !== "object") continue;
    for (const inner of Object.values(next)) if (inner !== null && typeof inner === "object") open.push(inner);
    if (Array.isArray(next)) continue;
    const schema = next as Readonly<Record<string, unknown>>;
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      if (typeof schema[keyword] === "string") anchors.set(`#${schema[keyword]}`, schema);
    }
    if (typeof schema["$id"] === "string") anchors.set(schema["$id"].replace(/#$/, ""), schema);
    hasUnevaluated ||= "unevaluatedProperties" in schema || "unevaluatedItems" in schema;
  }
  const resolved = new Map<string, unknown>(anchors);
  return {
    hasUnevaluated,
    resolve(reference) {
      if (resolved.has(reference)) return resolved.get(reference);
      const [base = "", fragment = ""] = reference.split("#", 2);
      const document = base === "" ? root : anchors.get(base);
      const target = fragment === "" || fragment.startsWith("/") ? atPointer(document, fragment) : undefined;
      resolved.set(reference, target);
      return target;
    },
  };
}

function atPointer(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of pointer.split("/").slice(1)) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!(Array.isArray(at) || isObject(at)) || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

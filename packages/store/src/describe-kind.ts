import type { JsonSchema, Kind, IndexedField } from "@toolpacks/core";
import { compileKind } from "./kind-layout.ts";

/** The information about a kind that a caller needs to put and query its records. */
export interface KindFacts {
  /** The schema of a record, with every limit. */
  readonly schema: JsonSchema;
  /** The fields that filters and sorts can use, besides `id`. */
  readonly indexed: readonly IndexedField[];
}

/** @throws Error when the kind's declaration contradicts its schema */
export function describeKind(kind: Kind): KindFacts {
  const { schema, fields } = compileKind(kind);
  return { schema: schema.full(), indexed: [...fields.values()] };
}

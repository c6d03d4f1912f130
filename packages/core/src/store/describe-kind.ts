import type { JsonSchema } from "../json-schema.ts";
import type { Kind, IndexedField } from "./store.ts";
import { prepareKind } from "./kind-layout.ts";

/** What a caller must know of a kind to put and query its records. */
export interface KindFacts {
  /** Of a record, with every limit. */
  readonly schema: JsonSchema;
  /** What filters and sorts may name, besides `id`. */
  readonly indexed: readonly IndexedField[];
}

/** @throws Error when the kind's declaration contradicts its schema */
export function describeKind(kind: Kind): KindFacts {
  const { schema, fields } = prepareKind(kind);
  return { schema: schema.full(), indexed: [...fields.values()] };
}

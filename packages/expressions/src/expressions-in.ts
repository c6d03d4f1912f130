import { isObject } from "@toolpacks/core";
import { scan } from "./scan.ts";

/** An expression in a value. */
export interface PlacedExpression {
  /** The path of the text that holds it: field names, and indexes as text. */
  readonly at: readonly string[];
  readonly source: string;
}

/** Every expression in the texts of a value. */
export function expressionsIn(value: unknown, at: readonly string[] = []): readonly PlacedExpression[] {
  if (typeof value === "string") {
    const pieces = scan(value) ?? [];
    return pieces.flatMap((piece) => ("expression" in piece ? [{ at, source: piece.expression }] : []));
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => expressionsIn(item, [...at, String(index)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => expressionsIn(field, [...at, name]));
}

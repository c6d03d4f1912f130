import { z } from "zod";
import type { KindLayout } from "./driver.ts";
import { kindNamePattern } from "@toolpacks/core";

export const kindNameSchema = z.string().regex(kindNamePattern, "expected a kind's name");

/** A name without control characters and lone surrogates. */
export const nameSchema = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "expected no control character");

export const fieldPathSchema = nameSchema(200);

export const indexSchema = z
  .array(z.object({ path: fieldPathSchema, type: z.enum(["string", "number", "boolean", "strings", "numbers"]) }))
  .min(1)
  .max(8);

const layoutSchema = z.object({
  name: kindNameSchema,
  indexes: z.array(indexSchema).max(1_000),
  text: z.array(fieldPathSchema).max(1_000),
});

/**
 * Checks a kind's layout that a database holds, since a driver builds SQL from its names.
 *
 * @param name the kind under which the layout is stored
 * @returns undefined when this program cannot have written it
 */
export function checkStoredLayout(name: unknown, layout: unknown): KindLayout | undefined {
  const { data } = layoutSchema.safeParse(layout);
  return data?.name === name ? data : undefined;
}

/** Whether a name from a database is a kind's, and so may be part of a table's name. */
export function isKindName(name: unknown): name is string {
  return kindNameSchema.safeParse(name).success;
}

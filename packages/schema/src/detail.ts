/** The JSON Schema keyword of a description that tool lists leave out. */
export const detailKeyword = "detail";

/**
 * Metadata of a field whose description only `tool_describe` shows. Use it if the field's name is clear enough for tool lists, which cost tokens in
 * every conversation.
 *
 * @example operationId: z.string().max(200).optional().meta(detail("the same for a retry, which then changes nothing"))
 */
export function detail(description: string): { readonly description: string; readonly detail: true } {
  return { description, [detailKeyword]: true };
}

/** JSON Schema keyword of a field that tool lists leave out. */
export const unlistedKeyword = "unlisted";

/** Metadata of a rarely used optional field that only `tool_describe` shows. Calls may use it. */
export function unlisted(description?: string): { readonly description?: string; readonly unlisted: true } {
  return { ...(description !== undefined && { description }), [unlistedKeyword]: true };
}

/** JSON Schema keyword of the schema that tool lists show in place of a field's own schema. */
export const listedKeyword = "x-listed";

/**
 * Metadata of a field whose type is too long for tool lists. Lists show the given JSON Schema, signatures and `tool_describe` show the field's own, and
 * calls are checked against the field's own.
 *
 * @example sort: z.enum(orders).optional().meta(listed({ type: "string" }))
 */
export function listed(schema: object): Readonly<Record<typeof listedKeyword, object>> {
  return { [listedKeyword]: schema };
}

/** Marks, in a JSON Schema, a description that no list carries. */
export const detailKeyword = "detail";

/**
 * What a field means, for `tool_describe` alone: where its name says enough for a list, which every conversation pays for.
 *
 * @example operationId: z.string().max(200).optional().meta(detail("the same for a retry, which then changes nothing"))
 */
export function detail(description: string): { readonly description: string; readonly detail: true } {
  return { description, [detailKeyword]: true };
}

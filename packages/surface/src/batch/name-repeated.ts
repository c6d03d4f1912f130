import type { CallResult } from "./call-result.ts";

/** Minimum characters of the JSON of content that is shown once. */
const minLength = 150;

/**
 * Replaces content that equals the content of an earlier call by the id of that call. Values stay, for code that reads them.
 *
 * @param passed ids of results whose texts are shown only at their start. Content that is shown whole is not replaced by such an id.
 */
export function nameRepeated(results: readonly CallResult[], passed: ReadonlySet<string>): readonly CallResult[] {
  const ids = new Map<string, string>();
  return results.map((result) => {
    const content = JSON.stringify(result.blocks ?? []);
    if (content.length < minLength) return result;
    const earlier = ids.get(content);
    if (earlier !== undefined && (!passed.has(earlier) || passed.has(result.id)))
      return { ...result, blocks: [{ type: "text", text: `same as [${earlier}]` }] };
    ids.set(content, result.id);
    return result;
  });
}

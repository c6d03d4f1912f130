import type { CallResult } from "./call-result.ts";

/** Minimum characters of content that is shown once. */
const minLength = 60;

/** Replaces content that equals the content of an earlier call by the id of that call. Values stay, for code that reads them. */
export function nameRepeated(results: readonly CallResult[]): readonly CallResult[] {
  const ids = new Map<string, string>();
  return results.map((result) => {
    const content = JSON.stringify(result.blocks ?? []);
    if (content.length < minLength) return result;
    const earlier = ids.get(content);
    if (earlier !== undefined) return { ...result, blocks: [{ type: "text", text: `same as [${earlier}]` }] };
    ids.set(content, result.id);
    return result;
  });
}

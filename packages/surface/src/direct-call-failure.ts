import type { Failure } from "@toolpacks/core";

/** The tools that find and call all others. Only a client can call them. */
const directTools: ReadonlySet<string> = new Set([
  "tool_search",
  "tool_describe",
  "tool_read",
  "tool_invoke",
  "getTools",
  "useTools",
]);

/**
 * The failure of a call inside of another one, of a tool that only a client can call. Undefined for other tools.
 *
 * @param place where the name stands: `inside calls`
 */
export function directCallFailure(name: string, place: string): Failure | undefined {
  return directTools.has(name) ? { code: "invalid_input", message: `call ${name} directly, not ${place}` } : undefined;
}

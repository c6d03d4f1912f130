import { ToolError } from "@toolpacks/core";

/**
 * Splits a name, or a part of one, from its owners: `Store.put`, `Store::put`.
 *
 * @throws ToolError `invalid_input` for a name with a line break or NUL
 */
export function splitName(qualified: string): { readonly name: string; readonly owners: readonly string[] } {
  if (/[\0\r\n]/.test(qualified)) throw new ToolError("invalid_input", "name: expected no line break or NUL");
  const parts = qualified.split(/::|[.#]/);
  const name = parts.pop() ?? "";
  return { name, owners: parts.filter((part) => part !== "").map((part) => part.toLowerCase()) };
}

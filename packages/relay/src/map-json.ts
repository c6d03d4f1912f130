import { ToolError } from "@toolpacks/core";

/**
 * What stands in place of a text, a list or an object, which the names `at` lead to; the same to leave it and all in it alone; undefined to look
 * into it.
 */
type Replace = (value: unknown, at: readonly string[]) => unknown;

/** How many names may lead to what is looked into. */
export const maxDepth = 500;

/**
 * A JSON value with what is in it replaced, from the outside in; the same object when all of it stays. `replace` may be asynchronous.
 *
 * @throws ToolError `invalid_input` for one that is nested more than 500 deep
 */
export async function mapJson(value: unknown, replace: Replace, at: readonly string[] = []): Promise<unknown> {
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
  if (at.length > maxDepth) throw new ToolError("invalid_input", `${at[0]}: nested more than ${maxDepth} deep`);
  const replaced = await replace(value, at);
  if (replaced !== undefined) return replaced;
  if (typeof value === "string") return value;
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const isOpen = typeof inner === "string" || typeof inner === "object";
    const next = isOpen ? await mapJson(inner, replace, [...at, name]) : inner;
    isChanged ||= next !== inner;
    entries.push([name, next]);
  }
  if (!isChanged) return value;
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

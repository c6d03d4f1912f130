import { ToolError } from "@toolpacks/core";

/**
 * Returns the replacement of a text, list or object at the path `at`. The same value: keep it and everything in it. Undefined:
 * look into it.
 */
type Replace = (value: unknown, at: readonly string[]) => unknown;

/** Maximum nesting of a value. */
export const maxDepth = 500;

/**
 * Replaces values inside a JSON value, from the outside in. Returns the same object when nothing changes.
 *
 * @throws ToolError `invalid_input` for a value that is nested more than 500 levels deep
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

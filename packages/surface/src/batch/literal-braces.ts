import { handleIn, isObject } from "@toolpacks/core";
import { closing } from "@toolpacks/expressions";

const reference = /\bsteps\s*[.[]/;

/**
 * Escapes every `${` that begins no reference to a step. The arguments of a call may be code or templates, which must reach
 * the tool unchanged.
 */
export function escapeLiterals(value: unknown): unknown {
  if (typeof value === "string") return handleIn(value) === undefined ? escapeText(value) : value;
  if (Array.isArray(value)) return value.map(escapeLiterals);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, escapeLiterals(field)]));
}

function escapeText(text: string): string {
  let escaped = "";
  let from = 0;
  for (let open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
    const end = closing(text, open + 2);
    const isReference = end !== undefined && reference.test(text.slice(open, end));
    escaped += text.slice(from, open) + (isReference ? text.slice(open, end) : "$${");
    from = isReference ? end : open + 2;
  }
  return escaped + text.slice(from);
}

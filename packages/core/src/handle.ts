import { isObject, jsonValue } from "@toolpacks/schema";

/** The name of the tool that reads handles. */
export const handleReader = "relay_read";

/** A handle. `internal:` is the old scheme, which is still accepted. */
const bareHandle = /^(?:relay|internal):\/\/(?:\S*|[a-z2-7]+#json=.*)$/;
const templateHandle = /^\$\{(?:relay|internal):\/\/[^{}]*\}$/;
/** Maximum length of a handle in any form. A range may hold a JSONPath, and a link in JSON text has more fields. */
const maxHandleLength = 4_000;

/**
 * Reads the handle that a value stands for. Undefined for any other value, including a text that only contains a handle.
 *
 * Forms: `relay://<id>`, with or without a `#range`; the same as `${relay://<id>#lines=10-20}`; and
 * `{"type": "resource_link", "uri": "relay://<id>"}`, as an object or as JSON text. Only the relay knows whether the handle exists.
 */
export function handleIn(value: unknown): string | undefined {
  if (typeof value === "string") return handleInText(value);
  if (!isObject(value) || value["type"] !== "resource_link") {
    return undefined;
  }
  return typeof value["uri"] === "string" && bareHandle.test(value["uri"]) ? value["uri"] : undefined;
}

/** Checks the first character first, because this runs on every argument and almost no text is a handle. */
function handleInText(text: string): string | undefined {
  if (text.length > maxHandleLength) return undefined;
  switch (text[0]) {
    case "r":
    case "i":
      return bareHandle.test(text) ? text : undefined;
    case "$":
      return templateHandle.test(text) ? text.slice(2, -1) : undefined;
    case "{":
      return text.includes('"resource_link"') ? handleIn(jsonValue(text)) : undefined;
    default:
      return undefined;
  }
}

/** Whether a JSON value is a handle or contains one in place of a value. */
export function holdsHandle(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (handleIn(next) !== undefined) return true;
    if (next === null || typeof next !== "object") continue;
    for (const inner of Array.isArray(next) ? next : Object.values(next)) {
      if (typeof inner === "string" || typeof inner === "object") open.push(inner);
    }
  }
  return false;
}

/** The second scheme is the older one, which is still taken. */
const bare = /^(?:relay|internal):\/\/(?:\S*|[a-z2-7]+#json=.*)$/;
const ranged = /^\$\{(?:relay|internal):\/\/[^{}]*\}$/;
/** A range may hold a JSONPath, a link as JSON text a few fields more. */
const longest = 4_000;

/**
 * The handle that a value is meant to be, as text; undefined for any other value, also for a text that merely has a handle in it.
 *
 * Forms: `relay://<id>`, with or without a `#range`; the same as `${relay://<id>#lines=10-20}`; and
 * `{"type": "resource_link", "uri": "relay://<id>"}`, as an object or as JSON text. Whether it leads anywhere only the relay can say.
 */
export function handleIn(value: unknown): string | undefined {
  if (typeof value === "string") return handleInText(value);
  if (value === null || typeof value !== "object" || !("type" in value) || value.type !== "resource_link") {
    return undefined;
  }
  return "uri" in value && typeof value.uri === "string" && bare.test(value.uri) ? value.uri : undefined;
}

/** The first character decides for nearly every text, so that looking at each argument costs next to nothing. */
function handleInText(text: string): string | undefined {
  if (text.length > longest) return undefined;
  switch (text[0]) {
    case "r":
    case "i":
      return bare.test(text) ? text : undefined;
    case "$":
      return ranged.test(text) ? text.slice(2, -1) : undefined;
    case "{":
      return text.includes('"resource_link"') ? handleIn(parse(text)) : undefined;
    default:
      return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a handle stands anywhere in a JSON value, in place of a value. */
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

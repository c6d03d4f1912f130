/** Maximum length of a text that an expression or a template makes, in characters. */
export const maxTextLength = 16 * 1024 * 1024;

/** Values nested deeper than this are never written as JSON. */
const maxDepth = 500;

/**
 * About how many characters of JSON a value is, counted up to `max`. The same list may stand in a value many times, so a small value in memory can be a
 * JSON text that no memory holds.
 *
 * @returns more than `max`, maybe Infinity, where it is larger
 */
export function jsonSize(value: unknown, max: number): number {
  return measure(value, { size: 0, max, depth: 0 });
}

interface Measuring {
  size: number;
  readonly max: number;
  depth: number;
}

function measure(value: unknown, state: Measuring): number {
  if (typeof value === "string") state.size += value.length + 2;
  else if (value === null || typeof value !== "object") state.size += 4;
  else {
    if (state.depth >= maxDepth) return (state.size = Infinity);
    state.depth += 1;
    measureInside(value, state);
    state.depth -= 1;
  }
  return state.size;
}

function measureInside(value: object, state: Measuring): void {
  state.size += 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      state.size += 1;
      if (measure(item, state) > state.max) return;
    }
    return;
  }
  for (const key of Object.keys(value)) {
    state.size += key.length + 4;
    if (measure((value as Record<string, unknown>)[key], state) > state.max) return;
  }
}

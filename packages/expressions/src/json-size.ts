/** Maximum length of a text from an expression or a template, in characters. */
export const maxTextLength = 16 * 1024 * 1024;

/** Maximum nesting of values that are written as JSON. */
const maxDepth = 500;

/**
 * The approximate length of a value's JSON, counted up to `max`. A list may occur in a value many times, so the JSON of a
 * small value may not fit into memory.
 *
 * @returns a number above `max`, maybe Infinity, when it is larger
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

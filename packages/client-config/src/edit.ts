import { isObject } from "@toolpacks/core";

/** A change of one value in a config file. */
export interface Edit {
  /** Key path of the value. */
  readonly at: readonly string[];
  /** The new value. Undefined removes the key. */
  readonly value: unknown;
}

/** Applies edits to the values of a parsed file, in place. */
export function setValues(root: unknown, edits: readonly Edit[]): unknown {
  const result: Record<string, unknown> = isObject(root) ? root : {};
  for (const { at, value } of edits) {
    let parent = result;
    for (const key of at.slice(0, -1)) {
      if (!isObject(parent[key])) parent[key] = {};
      parent = parent[key] as Record<string, unknown>;
    }
    const key = at.at(-1) ?? "";
    if (value === undefined) delete parent[key];
    else parent[key] = value;
  }
  return result;
}

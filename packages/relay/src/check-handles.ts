import { handleIn, ToolError, type Failure } from "@toolpacks/core";
import { parseHandle } from "./handle.ts";
import { openValue } from "./read/open-value.ts";
import type { RelayValues } from "./values/relay-values.ts";

/** The problem of the first handle in a JSON value that cannot be resolved. Undefined when all can. */
export async function checkHandles(value: unknown, values: RelayValues): Promise<Failure | undefined> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    const handle = handleIn(next);
    try {
      if (handle !== undefined) await openValue(values, parseHandle(handle).id);
      else if (next !== null && typeof next === "object") open.push(...Object.values(next));
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const { code, message, hint } = error;
      return { code, message, hint };
    }
  }
  return undefined;
}

import { ToolError } from "@toolpacks/core";
import type { ValueInfo } from "@toolpacks/store";
import type { RelayValues } from "../values/relay-values.ts";

/** An existing value, opened for reading. */
export interface OpenValue {
  readonly values: RelayValues;
  readonly info: ValueInfo;
  readonly signal?: AbortSignal;
}

/** @throws ToolError `not_found` */
export async function openValue(values: RelayValues, id: string, signal?: AbortSignal): Promise<OpenValue> {
  const info = await values.info(id);
  if (info !== undefined) return { values, info, signal };
  throw new ToolError(
    "not_found",
    `handle: relay://${id} is unknown or has expired`,
    "Copy handles as they were given, or make the value again.",
  );
}

import { handleIn } from "@toolpacks/core";
import type { Relay, RelayUnboxOptions } from "../create-relay.ts";
import { parseHandle } from "../handle.ts";
import { LongText } from "../process/long-text.ts";

/** What `resources/read` answers. */
export interface ValueResource {
  readonly contents: readonly [
    { readonly uri: string; readonly mimeType: string; readonly text?: unknown; readonly blob?: unknown },
  ];
}

/** Whether a resource is one of ours and not the server's. */
export function isValueUri(uri: unknown): uri is string {
  return typeof uri === "string" && handleIn(uri) !== undefined;
}

/** A value, or the part of it that a handle names, as a resource. @throws ToolError `not_found` */
export async function readValueResource(
  uri: string,
  relay: Relay,
  options?: RelayUnboxOptions,
): Promise<ValueResource> {
  const { id } = parseHandle(uri);
  const { value } = await relay.unbox<{ value: unknown }>({ value: uri }, options);
  const { mimeType = "text/plain", text = true } = (await relay.values.info(id)) ?? {};
  const content = typeof value === "string" || value instanceof LongText ? value : JSON.stringify(value);
  return { contents: [{ uri, mimeType, ...(text ? { text: content } : { blob: content }) }] };
}

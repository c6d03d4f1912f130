import { ToolError, type EmbeddedResource } from "@toolpacks/core";
import type { Relay } from "../create-relay.ts";
import { parseHandle } from "../handle.ts";
import { openValue } from "./open-value.ts";

/** Maximum size of a value that is read as one resource: the protocol has it in one message. */
const maxBytes = 64 * 1024 * 1024;

/** Reads a value as a resource. @throws ToolError */
export async function readResource(relay: Relay, uri: string, signal: AbortSignal): Promise<EmbeddedResource[]> {
  const { id, range } = parseHandle(uri);
  const { info } = await openValue(relay.values, id, signal);
  const { text, mimeType, size } = info;
  if (range === undefined && size > maxBytes) {
    const problem = `the value has ${size} bytes, more than the ${maxBytes} that are read at once`;
    throw new ToolError("too_large", problem, `Read parts of it: ${uri}#bytes=0-${maxBytes - 1}`);
  }
  const { value } = await relay.unbox<{ value: unknown }>({ value: uri }, { maxBytes, signal });
  // A result of JSONPath is text, even if the JSON was stored as bytes.
  if (!text && typeof value === "string" && range?.unit !== "json") return [{ uri, mimeType, blob: value }];
  return [{ uri, mimeType, text: typeof value === "string" ? value : JSON.stringify(value) }];
}

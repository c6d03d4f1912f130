import { ToolError, type EmbeddedResource } from "@toolpacks/core";
import type { Relay } from "../create-relay.ts";
import { parseHandle } from "../handle.ts";
import { openValue } from "./open-value.ts";

/** A client takes a value whole, and keeps it out of its model's sight; the protocol has it in one message. */
const maxBytes = 64 * 1024 * 1024;

/** A kept value as a resource. @throws ToolError */
export async function readResource(relay: Relay, uri: string, signal: AbortSignal): Promise<EmbeddedResource[]> {
  const { id, range } = parseHandle(uri);
  const { info } = await openValue(relay.values, id, signal);
  const { text, mimeType, size } = info;
  if (range === undefined && size > maxBytes) {
    const problem = `the value has ${size} bytes, more than the ${maxBytes} that are read at once`;
    throw new ToolError("too_large", problem, `Read parts of it: ${uri}#bytes=0-${maxBytes - 1}`);
  }
  const { value } = await relay.unbox<{ value: unknown }>({ value: uri }, { maxBytes, signal });
  // What is picked from JSON is text, also where the JSON was kept as bytes.
  if (!text && typeof value === "string" && range?.unit !== "json") return [{ uri, mimeType, blob: value }];
  return [{ uri, mimeType, text: typeof value === "string" ? value : JSON.stringify(value) }];
}

import type { CallToolResult } from "@toolpacks/core";
import { boxParts } from "./box-parts.ts";
import type { Boxer } from "./boxer.ts";

/** Boxes a result as it is on the wire. The same object when nothing in it is large. */
export async function boxResult(
  result: CallToolResult,
  boxer: Boxer,
  keepsStructured: boolean,
): Promise<CallToolResult> {
  const { structuredContent: structured, ...rest } = result;
  // A server may leave out the content, which the protocol requires.
  const parts = { blocks: result.content ?? [], structured };
  const boxed = await boxParts(parts, boxer, {
    structured: keepsStructured ? "required" : "optional",
    // Many servers send structured content again as text, for clients that show text.
    isRendered: (text) => isSameJson(text, structured),
    render: (fields) => JSON.stringify(fields),
  });
  if (boxed === parts) return result;
  // Links never stand beside structured content: there the handle is a field.
  return boxed.structured === undefined
    ? { ...rest, content: [...boxed.blocks, ...boxer.links] }
    : { ...result, content: [...boxed.blocks], structuredContent: { ...boxed.structured } };
}

function isSameJson(text: string, value: unknown): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

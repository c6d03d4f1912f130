import type { CallToolResult } from "@toolpacks/core";
import { boxParts } from "./box-parts.ts";
import type { Boxer } from "./boxer.ts";

/** Boxes a result on the wire. Returns the same object when nothing in it is large. */
export async function boxResult(
  result: CallToolResult,
  boxer: Boxer,
  keepsStructured: boolean,
): Promise<CallToolResult> {
  const { structuredContent: structured, ...rest } = result;
  // The protocol requires content, but a server may leave it out.
  const parts = { blocks: result.content ?? [], structured };
  const boxed = await boxParts(parts, boxer, {
    structured: keepsStructured ? "required" : "optional",
    // Many servers repeat structured content as text.
    isRendered: (text) => isSameJson(text, structured),
    render: (fields) => JSON.stringify(fields),
  });
  if (boxed === parts) return result;
  // A result with structured content has no links: its handles are fields.
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

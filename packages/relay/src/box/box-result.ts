import type { CallToolResult } from "@toolpacks/core";
import type { Boxer } from "./boxer.ts";
import { isOver } from "./thresholds.ts";

/** Boxes a result as it is on the wire. The same object when nothing in it is large. */
export async function boxResult(
  result: CallToolResult,
  boxer: Boxer,
  keepsStructured: boolean,
): Promise<CallToolResult> {
  const { structuredContent: structured } = result;
  // A server may leave out what the protocol requires.
  const content = result.content ?? [];
  if (structured === undefined) {
    const blocks = await boxer.blocks(content);
    return blocks === content ? result : { ...result, content: [...blocks, ...boxer.links] };
  }
  const fields = await boxer.fields(structured);
  const json = JSON.stringify(fields);
  if (!keepsStructured && isOver(json, boxer.threshold)) {
    const text = await boxer.instead(JSON.stringify(structured));
    const { structuredContent: _, ...rest } = result;
    return { ...rest, content: [{ type: "text", text }, ...boxer.links] };
  }
  // Many servers say the same again as text, for clients that show it.
  const mirrored = content.map((block) =>
    block.type === "text" && isOver(block.text, boxer.threshold) && isSameJson(block.text, structured)
      ? { ...block, text: json }
      : block,
  );
  const isMirrored = mirrored.some((block, at) => block !== content[at]);
  const blocks = await boxer.blocks(mirrored);
  if (fields === structured && !isMirrored && blocks === mirrored) return result;
  return { ...result, content: [...blocks], structuredContent: { ...fields } };
}

function isSameJson(text: string, value: unknown): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

import { handlesIn } from "./handles.ts";
import type { ToolResult } from "./tool-client.ts";

/**
 * Renders a result as text for a model: its texts, its links, and a placeholder for other blocks. Structured content is used only without blocks.
 * A link to a handle is left out: the handle is in the text too.
 */
export function resultText({ content, structuredContent }: ToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.flatMap(blockText).join("\n");
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly mimeType?: string;
  readonly resource?: { readonly text?: unknown; readonly uri?: string };
}

function blockText(block: Block): string[] {
  const { type, text, resource } = block;
  if (type === "text") return [String(text)];
  if (type === "resource_link") return handlesIn(block).length > 0 ? [] : [JSON.stringify(block)];
  if (type === "resource" && typeof resource?.text === "string") return [resource.text];
  return [`[${[type, block.mimeType ?? resource?.uri].filter((part) => part !== undefined).join(" ")}]`];
}

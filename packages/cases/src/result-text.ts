import { handlesIn } from "./handles.ts";
import type { ToolResult } from "./tool-client.ts";

/**
 * A result as a model reads it: its texts, its links, and of anything else that it is there. Structured content where there is nothing
 * else. A link to a handle is for the client: what the model needs of it is in the text.
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

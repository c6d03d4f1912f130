import type { ContentBlock } from "@toolpacks/core";

/** A block without its text or data: the names, addresses and metadata that its server wrote around them. */
export function withoutContent(block: ContentBlock): object {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "image" || block.type === "audio") return { ...block, data: "" };
  return block.type === "resource" ? { ...block, resource: { ...block.resource, text: "", blob: "" } } : block;
}

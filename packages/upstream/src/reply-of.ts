import type { CallToolResult } from "@modelcontextprotocol/client";
import { failedReply, reply, type ContentBlock, type Reply } from "@toolpacks/core";
import { uriHere } from "./resource-uri.ts";

/** A server's result as it came, but for the addresses of links, which are made to lead through us. */
export function replyOf(result: CallToolResult, server: string): Reply {
  const blocks = result.content.map((block) =>
    block.type === "resource_link" ? { ...block, uri: uriHere(server, block.uri) } : block,
  ) as ContentBlock[];
  const { structuredContent: structured } = result;
  if (result.isError === true) {
    return failedReply(blocks, { code: "internal", message: `${server} says that the call failed` });
  }
  const isObject = structured !== null && typeof structured === "object" && !Array.isArray(structured);
  if (!isObject) return reply(blocks);
  // A model that is shown the text alone must not be left with none.
  const text = { type: "text" as const, text: JSON.stringify(structured) };
  return reply(blocks.length === 0 ? [text] : blocks, structured as Readonly<Record<string, unknown>>);
}

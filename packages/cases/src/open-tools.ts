import { errorText, renderFailure, ToolError, type JsonSchema } from "@toolpacks/core";
import { handlesIn, handlesInText } from "./handles.ts";
import type { ToolClient, ToolResult } from "./tool-client.ts";

/** A tool in the list that the model gets. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly signal?: AbortSignal;
}

/** The result of a call, as the model reads it. */
export interface ToolAnswer {
  readonly text: string;
  /** Ids of new handles in the result. Handles in the call's arguments are not included. */
  readonly handles: readonly string[];
  readonly failure?: string;
}

/** Tools that a model may call in one conversation. */
export interface OpenTools {
  readonly listed: readonly OfferedTool[];
  /** The server's instructions. */
  readonly instructions?: string;
  /** Whether long values travel as handles. */
  readonly hasHandles: boolean;
  /** Calls a tool. A failure of the tool resolves to an answer with `failure`. */
  call(call: ToolCall): Promise<ToolAnswer>;
}

/** Name of the tool that reads a handle. */
export const opener = "relay_read";

const maxPages = 100;
/** Timeout of one call, in ms. Longer than the client's default; the conversation has its own timeout. */
const maxCallMs = 3_600_000;

/**
 * Lists a client's tools and prepares them for calls.
 *
 * @param isKnown whether an id has a value. Invented handles in a page are ignored. Default: every id is known.
 */
export async function openTools(
  client: ToolClient,
  isKnown: (id: string) => Promise<boolean> = async () => true,
): Promise<OpenTools> {
  const listed = await listAll(client);
  const instructions = client.getInstructions?.();
  return {
    listed,
    ...(instructions !== undefined && instructions !== "" && { instructions }),
    hasHandles: listed.some(({ name }) => name === opener),
    call: async ({ name, args, signal }) => {
      try {
        const options = { timeout: maxCallMs, signal };
        const result = await client.callTool({ name, arguments: args as Record<string, unknown> }, options);
        const text = resultText(result);
        if (result.isError === true) return { text, handles: [], failure: text };
        const repeated = new Set(handlesIn(args));
        const mentioned = handlesInText(text).filter((id) => !repeated.has(id));
        const known = await Promise.all(mentioned.map(async (id) => ((await isKnown(id)) ? [id] : [])));
        return { text, handles: known.flat() };
      } catch (error) {
        // A protocol error is reported to the model like any other failure.
        const failure = ToolError.is(error) ? renderFailure(error) : errorText(error);
        return { text: failure, handles: [], failure };
      }
    },
  };
}

async function listAll(client: ToolClient): Promise<readonly OfferedTool[]> {
  const found: OfferedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = "", inputSchema } of tools) {
      found.push({ name, description, inputSchema: { ...inputSchema } });
    }
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}

/**
 * Renders a result as text for a model: its texts, its links, and a placeholder for other blocks. Structured content is used only without blocks.
 * A link to a handle is left out: the handle is in the text too.
 */
function resultText({ content, structuredContent }: ToolResult): string {
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

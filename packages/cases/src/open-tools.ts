import { renderFailure, ToolError, type JsonSchema } from "@toolpacks/core";
import { handlesIn, handlesWithin } from "./handles.ts";
import { resultText } from "./result-text.ts";
import type { ToolClient } from "./tool-client.ts";

/** A tool as a model is told of it. */
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

/** What a call gave, as a model reads it. */
export interface ToolAnswer {
  readonly text: string;
  /** The ids of handles in place of long values, without those that the call itself was made with. */
  readonly given: readonly string[];
  readonly failure?: string;
}

/** Tools that a model may call in one conversation. */
export interface OpenTools {
  readonly listed: readonly OfferedTool[];
  /** What the server says of them together. */
  readonly instructions?: string;
  /** Whether long values travel as handles. */
  readonly hasHandles: boolean;
  /** Never rejects for what a tool does. */
  call(call: ToolCall): Promise<ToolAnswer>;
}

/** What opens a handle wherever there are handles. */
export const opener = "relay_read";

const maxPages = 100;
/** A case as a whole has a time of its own; this is only longer than what a client takes for granted. */
const maxCallMs = 3_600_000;

/**
 * Asks a client for its tools.
 *
 * @param knows whether there is a value of an id, so that a handle that a page makes up counts for nothing. Default: every id counts.
 */
export async function openTools(
  client: ToolClient,
  knows: (id: string) => Promise<boolean> = async () => true,
): Promise<OpenTools> {
  const listed = await listAll(client);
  const instructions = client.getInstructions?.();
  return {
    listed,
    ...(instructions !== undefined && instructions !== "" && { instructions }),
    hasHandles: listed.some(({ name }) => name === opener),
    call: async ({ name, args, signal }) => {
      try {
        const options = { timeout: maxCallMs, ...(signal && { signal }) };
        const result = await client.callTool({ name, arguments: args as Record<string, unknown> }, options);
        const text = resultText(result);
        if (result.isError === true) return { text, given: [], failure: text };
        const repeated = new Set(handlesIn(args));
        const mentioned = handlesWithin(text).filter((id) => !repeated.has(id));
        const known = await Promise.all(mentioned.map(async (id) => ((await knows(id)) ? [id] : [])));
        return { text, given: known.flat() };
      } catch (error) {
        // What a server refuses by a protocol error, a model is told like any other failure.
        const failure = ToolError.is(error)
          ? renderFailure(error)
          : error instanceof Error
            ? error.message
            : String(error);
        return { text: failure, given: [], failure };
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

import {
  createCatalog,
  createDispatcher,
  listTool,
  toCallToolResult,
  type CallToolResult,
  type Pack,
} from "@toolpacks/core";

/** The required methods of an MCP client. The clients of both SDKs have them. */
export interface ToolClient {
  listTools(page?: { readonly cursor?: string }): Promise<ToolPage>;
  callTool(
    call: { readonly name: string; readonly arguments: Record<string, unknown> },
    options?: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): Promise<ToolResult>;
  /** The server's instructions. */
  getInstructions?(): string | undefined;
}

export interface ToolPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** A client of a pack, without a server. */
export function packClient(pack: Pack): ToolClient {
  const catalog = createCatalog({ packs: [pack] });
  const dispatcher = createDispatcher(catalog);
  return {
    async listTools() {
      return { tools: (await catalog.entries()).map(({ tool }) => listTool(tool, "text")) };
    },
    async callTool({ name, arguments: args }, { signal } = {}): Promise<CallToolResult> {
      return toCallToolResult(
        await dispatcher.dispatch({ name, args, ...(signal && { context: { signal } }) }),
        "text",
      );
    },
  };
}

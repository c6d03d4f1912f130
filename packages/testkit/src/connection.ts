import type { CallToolResult, Interceptor, RegisterOptions } from "@toolpacks/core";

/** A tool as a client receives it in `tools/list`. */
export interface WireTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface WireCallOptions {
  /** Cancels the call: the client sends `notifications/cancelled` and its promise rejects. */
  readonly signal?: AbortSignal;
  /** Asks the server for progress notifications. */
  readonly onProgress?: (progress: { readonly progress: number; readonly total?: number | undefined }) => void;
}

/** A real MCP client that is connected to a real server with the pack. */
export interface PackConnection {
  listTools(): Promise<readonly WireTool[]>;
  /** Rejects with the SDK's protocol error if the server answers with one, or if the result is malformed. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: WireCallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface ConnectOptions extends RegisterOptions {
  readonly interceptors?: readonly Interceptor[];
}

/** The text of a result, with its blocks joined by line breaks. */
export function resultText(result: CallToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

import type { CallToolResult } from "./call-tool-result.ts";
import type { ToolAnnotations } from "./listed-tool.ts";

/** What `registerWith` needs of a server: the shape that the `McpServer`s of both SDKs share. */
export interface ToolHost {
  registerTool(
    name: string,
    // Each SDK types a schema by the version of zod that it was installed with.
    // oxlint-disable-next-line typescript/no-explicit-any
    config: { description?: string; inputSchema: any; outputSchema?: any; annotations?: ToolAnnotations },
    // The SDKs' own parameter types differ; what arrives is read by `requestContext` alone.
    // oxlint-disable-next-line typescript/no-explicit-any
    handler: (args: any, raw: any) => Promise<CallToolResult>,
  ): unknown;
  /** Where the server has prompts. The SDKs' own parameter types differ, and both take a shape of zod's. */
  registerPrompt?(
    name: string,
    // oxlint-disable-next-line typescript/no-explicit-any
    config: { description?: string; argsSchema?: any },
    // oxlint-disable-next-line typescript/no-explicit-any
    handler: any,
  ): unknown;
}

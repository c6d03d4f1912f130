import type { CallToolResult } from "./outcome.ts";
import type { ToolAnnotations } from "./listed-tool.ts";

/** The part of a server that `registerWith` uses: the shape that `McpServer` has in both SDKs. */
export interface ToolHost {
  registerTool(
    name: string,
    // Each SDK types a schema with its own version of zod.
    config: {
      description?: string;
      // oxlint-disable-next-line typescript/no-explicit-any
      inputSchema: any;
      // oxlint-disable-next-line typescript/no-explicit-any
      outputSchema?: any;
      annotations?: ToolAnnotations;
      _meta?: Record<string, unknown>;
    },
    // The parameter types of the SDKs differ. `requestContext` reads the values.
    // oxlint-disable-next-line typescript/no-explicit-any
    handler: (args: any, raw: any) => Promise<CallToolResult>,
  ): unknown;
  /** Absent if the server has no prompts. The parameter types of the SDKs differ; both accept a zod shape. */
  registerPrompt?(
    name: string,
    // oxlint-disable-next-line typescript/no-explicit-any
    config: { description?: string; argsSchema?: any },
    // oxlint-disable-next-line typescript/no-explicit-any
    handler: any,
  ): unknown;
}

import type { SpanInfo } from "@toolpacks/core";

/** A request that a call of ours causes. */
export type RemoteRequest =
  | { readonly method: "tools/call" | "prompts/get"; readonly name: string }
  | { readonly method: "resources/read" };

/** The span of a request to another server, with the names that OpenTelemetry's conventions for MCP give it. */
export function requestSpan(server: string, request: RemoteRequest): SpanInfo {
  const { method } = request;
  const attributes = { "mcp.method.name": method, "toolpacks.remote": server };
  switch (method) {
    case "tools/call":
      return {
        name: `${method} ${request.name}`,
        kind: "client",
        attributes: { ...attributes, "gen_ai.tool.name": request.name, "gen_ai.operation.name": "execute_tool" },
      };
    case "prompts/get":
      return {
        name: `${method} ${request.name}`,
        kind: "client",
        attributes: { ...attributes, "gen_ai.prompt.name": request.name },
      };
    default:
      return { name: method, kind: "client", attributes };
  }
}

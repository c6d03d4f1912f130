import type { SpanInfo } from "@toolpacks/core";

/**
 * The span of a request to another server, with the names that OpenTelemetry's conventions for MCP give it.
 *
 * @param name the server's name of the tool or prompt
 */
export function requestSpan(
  server: string,
  method: "tools/call" | "prompts/get" | "resources/read",
  name?: string,
): SpanInfo {
  const attributes = { "mcp.method.name": method, "toolpacks.remote": server };
  if (name === undefined) return { name: method, kind: "client", attributes };
  const named: Readonly<Record<string, string>> =
    method === "tools/call"
      ? { "gen_ai.tool.name": name, "gen_ai.operation.name": "execute_tool" }
      : { "gen_ai.prompt.name": name };
  return { name: `${method} ${name}`, kind: "client", attributes: { ...attributes, ...named } };
}

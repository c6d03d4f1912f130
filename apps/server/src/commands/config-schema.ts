import { z } from "zod";
import { blockSchemas } from "@toolpacks/upstream/server-block";
import { configSchema } from "../config/config-schema.ts";
import { printJson } from "../print.ts";

/** `toolpacks config schema`: prints the JSON Schema of the config file. */
export function printConfigSchema(): void {
  const mcpServers = z.record(z.string(), blockSchemas().block).optional().describe("other MCP servers, each a facet");
  const schema = z.toJSONSchema(configSchema.extend({ mcpServers }), { io: "input" });
  printJson({ title: "toolpacks config", ...schema }, 2);
}

import { z } from "zod";
import { blockSchemas } from "@toolpacks/upstream/server-block";
import { configSchema } from "../config/config-schema.ts";
import { printJson } from "../print.ts";

/** The JSON Schema of the config file. */
export function configJsonSchema(): object {
  const mcpServers = z.record(z.string(), blockSchemas().block).optional().describe("other MCP servers, each a facet");
  const schema = z.toJSONSchema(configSchema.extend({ mcpServers }), { io: "input" });
  return { title: "toolpacks config", ...schema };
}

/** `toolpacks config schema`: prints the JSON Schema of the config file. */
export function printConfigSchema(): void {
  printJson(configJsonSchema(), 2);
}

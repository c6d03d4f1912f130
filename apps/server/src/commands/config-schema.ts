import { z } from "zod";
import { configSchema } from "../config/config-schema.ts";
import { blockSchemas } from "../block-schemas.ts";
import { printJson } from "../print.ts";

/** `toolpacks config schema`: for editors, and for whoever writes a config file. */
export function printConfigSchema(): void {
  const mcpServers = z.record(z.string(), blockSchemas().block).optional().describe("other MCP servers, each a facet");
  const schema = z.toJSONSchema(configSchema.extend({ mcpServers }), { io: "input" });
  printJson({ title: "toolpacks config", ...schema }, 2);
}

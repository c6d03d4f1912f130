import { z } from "zod";
import { blockSchemas } from "@toolpacks/upstream/server-block";
import { configSchema } from "../config/config-schema.ts";
import { modelFields } from "../config/model-fields.ts";
import { type Io, printJson } from "@toolpacks/terminal";
import { packOptions } from "../mount/pack-options.ts";

/** The JSON Schema of the config file. */
export function configJsonSchema(): object {
  const mcpServers = z.record(z.string(), blockSchemas().block).optional().describe("other MCP servers, each a facet");
  const schema = z.toJSONSchema(configSchema.extend({ ...modelFields, mcpServers, packs: packsSchema() }), {
    io: "input",
  });
  return { title: "toolpacks config", ...schema };
}

/** The schema of `packs`, with the options of the bundled packs. */
function packsSchema() {
  const { packs } = configSchema.shape;
  const bundled = Object.entries(packOptions).map(([name, options]) => {
    const either = z.union([z.boolean(), options]).optional();
    return [name, either.describe(`options of the ${name} pack; false leaves it out`)] as const;
  });
  const described = z.object(Object.fromEntries(bundled)).catchall(packs.unwrap().valueType);
  return described.optional().describe(packs.description ?? "");
}

/** `toolpacks config schema`: prints the JSON Schema of the config file. */
export function printConfigSchema(io: Io): void {
  printJson(io, configJsonSchema(), 2);
}

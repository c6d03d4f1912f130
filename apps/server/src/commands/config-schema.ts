import { z } from "zod";
import { configSchema } from "../config/config-schema.ts";

/** `toolpacks config schema`: for editors, and for whoever writes a config file. */
export function printConfigSchema(): void {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  process.stdout.write(`${JSON.stringify({ title: "toolpacks config", ...schema }, undefined, 2)}\n`);
}

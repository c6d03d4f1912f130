import type { ConfigDefinition } from "@toolpacks/settings";
import type { Config } from "./config-schema.ts";
import { configRoots } from "./config-roots.ts";
import { settingSources } from "./setting-sources.ts";
import { untrustedRules } from "./untrusted-rules.ts";

/** The config file of toolpacks. */
export const configDefinition: ConfigDefinition<Config> & { readonly sources: typeof settingSources } = {
  name: "toolpacks",
  async schema(value) {
    const { configSchema } = await import("./config-schema.ts");
    const hasModels = "models" in value || "routing" in value || "modelBudget" in value;
    return hasModels ? (await import("./model-fields.ts")).withModels(configSchema) : configSchema;
  },
  maxEntries: { mcpServers: 200, packs: 200, models: 200, routing: 200, workflows: 1000 },
  rules: untrustedRules,
  // A folder that becomes a link leads elsewhere.
  agreedFacts: (file) => configRoots(file).map(({ key, realPath }) => [key, realPath]),
  sources: settingSources,
};

/** The parsers of the formats of config files. Each throws a ConfigurationError with line and column. */
export { parseJsonc } from "./parse-jsonc.ts";
export { parseToml } from "./parse-toml.ts";
export { parseYaml } from "./parse-yaml.ts";

import type { EmbeddingEndpoint } from "@toolpacks/surface/search";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";

/**
 * The embedding endpoint of the config file. Its key is in the environment, since config files are shared.
 *
 * @throws ConfigurationError when the key's variable is not set
 */
export function embeddingEndpoint({ embeddings }: Settings): EmbeddingEndpoint | undefined {
  if (embeddings.value === undefined) return undefined;
  const { url, model, keyVariable } = embeddings.value;
  if (keyVariable === undefined) return { url, model };
  const key = process.env[keyVariable];
  if (key === undefined || key === "")
    throw new ConfigurationError(`${embeddings.origin}.keyVariable: $${keyVariable} is not set`);
  return { url, model, key };
}

import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import type { ToolFinderOptions } from "@toolpacks/surface/search";
import type { Settings } from "./config/settings.ts";

/**
 * How the meaning of texts is compared: by the endpoint, the model or the table that the config file names.
 *
 * @throws ConfigurationError when the variable of the endpoint's key is not set
 */
export function meaningOptions(settings: Settings): Pick<ToolFinderOptions, "meaning" | "embeddings" | "model"> {
  const { value } = settings.meaning;
  return {
    meaning: value !== false,
    embeddings: embeddingEndpoint(settings),
    ...(value === "minilm" && { model: () => loadMinilm(settings) }),
  };
}

type LoadModel = NonNullable<ToolFinderOptions["model"]>;

interface MinilmPackage {
  readonly minilm: (options: { readonly folder: string }) => ReturnType<LoadModel>;
}

const minilmPackage: string = "@toolpacks/meaning-minilm";

/** Loads the package of the model, which its user installs beside the server because of its size. */
async function loadMinilm({ folders }: Settings): Promise<Awaited<ReturnType<LoadModel>>> {
  const loaded: unknown = await import(minilmPackage).catch((error: unknown) =>
    Promise.reject(isMissing(error) ? new Error(notInstalled) : error),
  );
  return (loaded as MinilmPackage).minilm({
    folder: path.join(folders.cache, "vectors"),
  });
}

const notInstalled = `${minilmPackage} is not installed beside the server: npm install --global ${minilmPackage}`;

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/**
 * The embedding endpoint of the config file. Its key is in the environment, since config files are shared.
 *
 * @throws ConfigurationError when the key's variable is not set
 */
function embeddingEndpoint({ embeddings, io }: Settings): ToolFinderOptions["embeddings"] {
  if (embeddings.value === undefined) return undefined;
  const { url, model, keyVariable } = embeddings.value;
  if (keyVariable === undefined) return { url, model };
  const key = io.env[keyVariable];
  if (key === undefined || key === "")
    throw new ConfigurationError(`${embeddings.origin}.keyVariable: $${keyVariable} is not set`);
  return { url, model, key };
}

import { existsSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import type { ToolFinderOptions } from "@toolpacks/surface/search";
import { shellQuote } from "@toolpacks/terminal";
import type { Settings } from "./config/settings.ts";

/**
 * How the meaning of texts is compared: by the endpoint of the config file, by the model where it is installed, by the table.
 *
 * @throws ConfigurationError when the variable of the endpoint's key is not set
 */
export function meaningOptions(settings: Settings): Pick<ToolFinderOptions, "meaning" | "embeddings" | "model"> {
  const { value } = settings.meaning;
  return {
    meaning: value !== false,
    embeddings: embeddingEndpoint(settings),
    // Without its package, the model that the settings name is reported by the first comparison.
    ...((value === "minilm" || usesModel(value)) && {
      model: () => loadModel(path.join(settings.folders.cache, "vectors")),
    }),
  };
}

/** What texts are found by, for `doctor`. */
export function describeMeaning({ meaning: { value }, embeddings }: Settings): string {
  const table = `the table of word vectors${value === "minilm" ? ` (${notInstalled()})` : ""}`;
  const meaning = usesModel(value) ? "the model all-MiniLM-L6-v2" : table;
  const own = value === false ? "words alone" : `words and ${meaning}`;
  const endpoint = embeddings.value?.model;
  return endpoint === undefined ? own : `words and the endpoint's model ${endpoint}; records by ${own}`;
}

function usesModel(value: Settings["meaning"]["value"]): boolean {
  return (value === true || value === "minilm") && isModelInstalled();
}

type LoadModel = NonNullable<ToolFinderOptions["model"]>;

interface ModelModule {
  readonly minilm: (options: { readonly folder?: string | undefined }) => ReturnType<LoadModel>;
}

const modelPackage: string = "@toolpacks/meaning-minilm";

/** Loads the package of the model, which its user installs beside the server because of its size. @param folder where its vectors are kept */
async function loadModel(folder?: string): Promise<Awaited<ReturnType<LoadModel>>> {
  if (!isModelInstalled()) throw new Error(notInstalled());
  return ((await import(modelPackage)) as ModelModule).minilm({ folder });
}

/** Whether the package of the model is installed beside the server: a folder that the server is opened on has no say. Nothing of it is loaded. */
export function isModelInstalled(): boolean {
  try {
    return findPackageJSON(modelPackage, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

function notInstalled(): string {
  return `${modelPackage} is not installed beside the server: ${installModel()}`;
}

/** The command that installs the model beside the server: among the global packages, or in the folder of a project or of npx. */
export function installModel(): string {
  // The path of a built file is <folder>/node_modules/toolpacks/dist/<file>.
  const folder = path.resolve(import.meta.dirname, "../../..");
  const isGlobal = !existsSync(path.join(folder, "package.json"));
  return `npm install ${isGlobal ? "--global" : `--prefix ${shellQuote(folder)}`} ${modelPackage}`;
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

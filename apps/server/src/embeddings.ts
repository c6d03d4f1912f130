import { existsSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import type { StoreOptions, TextEmbedder } from "@toolpacks/store";
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
    // The first comparison reports a model that the settings name and that is not installed.
    ...((value === "minilm" || usesModel(settings)) && { model: () => loadModel(settings) }),
  };
}

export type MeaningSettings = Pick<Settings, "meaning" | "folders">;

/** How the meaning of records is compared, best first. No endpoint gets records. Nothing is loaded before the first one. */
export function recordMeaning(settings: MeaningSettings): NonNullable<StoreOptions["meaning"]> {
  if (settings.meaning.value === false) return [];
  const table = async () => (await import("@toolpacks/meaning")).wordMeaning();
  return usesModel(settings) ? [() => loadModel(settings), table] : [table];
}

/** What texts are found by, for `doctor`. */
export function describeMeaning(settings: Settings): string {
  const { value } = settings.meaning;
  const table = `the table of word vectors${value === "minilm" ? ` (${notInstalled()})` : ""}`;
  const meaning = usesModel(settings) ? "the model all-MiniLM-L6-v2" : table;
  const own = value === false ? "words alone" : `words and ${meaning}`;
  const endpoint = settings.embeddings.value?.model;
  return endpoint === undefined ? own : `words and the endpoint's model ${endpoint}; records by ${own}`;
}

function usesModel({ meaning: { value } }: MeaningSettings): boolean {
  return (value === true || value === "minilm") && isModelInstalled();
}

const modelPackage: string = "@toolpacks/meaning-minilm";

interface ModelModule {
  readonly minilm: (options: { readonly folder: string }) => TextEmbedder;
}

let loading: Promise<TextEmbedder> | undefined;

/** Loads the package of the model, which its user installs beside the server because of its size. Tools and records share its thread and its kept vectors. */
async function loadModel({ folders }: MeaningSettings): Promise<TextEmbedder> {
  if (!isModelInstalled()) throw new Error(notInstalled());
  loading ??= (import(modelPackage) as Promise<ModelModule>).then(({ minilm }) =>
    minilm({ folder: path.join(folders.cache, "vectors") }),
  );
  return loading;
}

/** Whether the package of the model is installed beside the server: the current folder has no say. Nothing of it is loaded. */
function isModelInstalled(): boolean {
  try {
    return findPackageJSON(modelPackage, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** The command that installs the model beside the server, and its cost. Undefined if it is installed. */
export function modelOffer(): string | undefined {
  if (isModelInstalled()) return undefined;
  return `Memory finds more with a model on this machine (46 MB of weights, 240 MB of memory while it is used): ${installModel()}`;
}

function notInstalled(): string {
  return `${modelPackage} is not installed beside the server: ${installModel()}`;
}

/** The command that installs the model beside the server: among the global packages, or in the folder of a project or of npx. */
function installModel(): string {
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

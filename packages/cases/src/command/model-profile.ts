import { describeIssues } from "@toolpacks/core";
import { modelSettings } from "@toolpacks/models/settings";
import { CaseError } from "../case-error.ts";
import type { Profile } from "../model/profile.ts";
import { readConfig } from "./read-config.ts";

interface ModelProfileOptions {
  /** The variables of keys. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Overrides the model of the file. */
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
}

/**
 * The profile of a model in the config file of `toolpacks`. Undefined if the file has none of this name.
 *
 * @throws CaseError naming the field, or the variable of a missing key
 */
export function readModelProfile(name: string, file: string, options: ModelProfileOptions): Profile | undefined {
  const models = readConfig(file, "models");
  if (!Object.hasOwn(models, name)) return undefined;
  const { success, data, error } = modelSettings.safeParse(models[name]);
  if (!success) throw new CaseError(`${file}: models.${name}.${describeIssues(error.issues, modelSettings)}`);
  const { url, keyVariable, model = name } = data;
  if (url === undefined)
    throw new CaseError(`${file}: models.${name}: no client is connected whose model could be asked`);
  const apiKey = keyVariable === undefined ? undefined : options.environment[keyVariable];
  if (keyVariable !== undefined && (apiKey ?? "") === "")
    throw new CaseError(`profile ${name}: $${keyVariable} is not set`);
  return {
    name,
    url,
    urlFrom: "config",
    model: options.model ?? model,
    apiKey,
    temperature: options.temperature,
  };
}

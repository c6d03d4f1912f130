import { describeIssues, ToolError, type Store } from "@toolpacks/core";
import { createModels, type Models } from "@toolpacks/models";
import { modelsSettings, type ModelSettings } from "@toolpacks/models/settings";

/** The models of steps: an object of `createModels`, or a table of settings by name. */
export type ModelsOption = Models | Readonly<Record<string, ModelSettings>>;

/**
 * The models of an option. Those of a table have the keys of the environment, and their use is counted in the store.
 *
 * @throws ToolError `invalid_input` naming the field of the table
 */
export function openModels(option: ModelsOption, store: Store): Models {
  if (isModels(option)) return option;
  const { success, data, error } = modelsSettings.safeParse(option);
  if (success) return createModels({ models: data, store, environment: process.env });
  throw new ToolError("invalid_input", `models: ${describeIssues(error.issues, modelsSettings)}`);
}

function isModels(option: ModelsOption): option is Models {
  return "ask" in option && typeof option.ask === "function";
}

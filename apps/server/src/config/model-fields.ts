import { budgetSettings, modelsSettings, routingSettings, settingsMistakes } from "@toolpacks/models/settings";
import type { z } from "zod";
import type { Config, configSchema } from "./config-schema.ts";

/** The fields of the config file that concern models. */
export const modelFields = {
  models: modelsSettings.optional().describe("language models by name, for steps of workflows"),
  routing: routingSettings
    .optional()
    .describe("for each task, such as summarize, extract, plan or write: the models that serve it, in order"),
  modelBudget: budgetSettings.optional().describe("what may be used of all models together"),
};

/** The schema of a config file with settings of models, which refer to each other. */
export function withModels(schema: typeof configSchema): z.ZodType<Config> {
  return schema.extend(modelFields).superRefine(({ models, routing, modelBudget }, context) => {
    for (const { path, message } of settingsMistakes({ models, routing, modelBudget })) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
}

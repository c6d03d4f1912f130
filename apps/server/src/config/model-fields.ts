import { budgetSettings, modelsSettings, routingSettings, settingsMistakes } from "@toolpacks/models/settings";
import { z } from "zod";
import type { Config } from "./config-schema.ts";

/** The fields of the config file that concern models. */
export const modelFields = {
  models: modelsSettings.optional().describe("language models by name, for steps of workflows"),
  routing: routingSettings
    .optional()
    .describe("for each task, such as summarize, extract, plan or write: the models that serve it, in order"),
  modelBudget: budgetSettings.optional().describe("what may be used of all models together"),
};

const schema = z.object(modelFields);

/** The mistakes in the settings of models, each with its place in the config file. */
export function modelIssues({ models, routing, modelBudget }: Config): readonly z.core.$ZodIssue[] {
  const parsed = schema.safeParse({ models, routing, modelBudget }, { jitless: true });
  if (!parsed.success) return parsed.error.issues;
  return settingsMistakes(parsed.data).map(({ path, message }) => ({
    code: "custom",
    path: [...path],
    message,
    input: undefined,
  }));
}

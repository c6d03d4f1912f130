export { createModels, type ModelsOptions } from "./create-models.ts";
export type { BudgetSettings, Input, ModelSettings, RoutingSettings } from "./model-settings.ts";
export type {
  AskingContext,
  Image,
  Limit,
  ListOptions,
  ModelAnswer,
  ModelList,
  ModelOrTask,
  ModelPlan,
  ModelPlanQuestion,
  ModelQuestion,
  Models,
  ModelState,
  PassedOver,
  Period,
  Tokens,
  Use,
} from "./models.ts";

export { createModels, type ModelsOptions } from "./create-models.ts";
export type { BudgetSettings, Input, Limit, ModelSettings, RoutingSettings } from "./model-settings.ts";
export type {
  AskingContext,
  Image,
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

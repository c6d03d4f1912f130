import { named, type DefinitionRules } from "./definition.ts";

export const python: DefinitionRules = {
  class_definition: named("class"),
  function_definition: named("function"),
};

import type { OwnedStore } from "@toolpacks/core";
import type { Models, ModelsOptions } from "@toolpacks/models";
import type { Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

interface ModelServices {
  /** The store that counts the use of models, for all its workspaces together. */
  readonly store?: OwnedStore | undefined;
  readonly log?: Log;
}

/** The options of the configured models. Their keys come from the environment. */
export function modelsOptions(
  { models, routing, modelBudget, io }: Pick<Settings, "models" | "routing" | "modelBudget" | "io">,
  { store, log }: ModelServices = {},
): ModelsOptions {
  return {
    models: models.value,
    routing: routing.value,
    modelBudget: modelBudget.value,
    environment: io.env,
    store: store?.internal(),
    log,
  };
}

/** The configured models of a server. Their code is loaded at the first use. */
export function openModels(settings: Settings, services: ModelServices): Models {
  let loading: Promise<Models> | undefined;
  const load = () =>
    (loading ??= import("@toolpacks/models").then(({ createModels }) =>
      createModels(modelsOptions(settings, services)),
    ));
  return {
    ask: async (question, context) => (await load()).ask(question, context),
    plan: async (question, context) => (await load()).plan(question, context),
    problem: async (name) => (await load()).problem(name),
    list: async (options) => (await load()).list(options),
  };
}

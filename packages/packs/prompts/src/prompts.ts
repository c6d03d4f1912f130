import { definePack, isObject } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import { z } from "zod";
import { prompt } from "./prompt-kind.ts";
import { storedPrompts } from "./stored-prompts.ts";

/**
 * The prompts pack: stored prompts, and `prompt_run`, which asks models batches of them. `store_put`, `store_query` and `store_close` work on its kind,
 * and clients list its open records. `prompt_run` needs the workflows pack on the same server.
 */
export const prompts = definePack({
  name: "prompts",
  description: ({ models }) =>
    models === undefined
      ? "Stored prompts with arguments, as records of the store that clients list as prompts."
      : "Stored prompts with arguments, which clients list as prompts; batches of them asked of models.",
  budget: 250,
  kinds: [prompt],
  needs: ["store"],
  options: z.strictObject({
    models: z
      .custom<Models>(
        (value) => isObject(value) && typeof value["ask"] === "function",
        "expected models of createModels",
      )
      .optional()
      .describe("the models that prompt_run asks; default: none, and no prompt_run"),
  }),
  async tools({ models }, { store }) {
    return models === undefined ? [] : [(await import("./batch/prompt-run.ts")).promptRun({ store, models })];
  },
  async steps({ models }, { store }) {
    return models === undefined ? [] : [(await import("./batch/prompt-step.ts")).promptStep({ store, models })];
  },
  withheld: ({ models }) => (models === undefined ? [{ names: ["prompt_run"], reason: noModel, hint: modelHint }] : []),
  promptSource: (_options, { store }) => storedPrompts(store),
});

const noModel = "no model is configured";
const modelHint = "The user can set models in the config file, or $TOOLPACKS_MODEL_URL and $TOOLPACKS_MODEL.";

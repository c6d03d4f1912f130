import { defineStepType, ToolError, type StepType, type Store } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import { z } from "zod";
import { fillQuestion, findPrompt, questionFields } from "./question.ts";

/** What the tool and the step type use. */
export interface PromptServices {
  readonly store: Store;
  readonly models: Pick<Models, "ask" | "plan">;
}

/** `prompt`: asks a model a stored prompt or a text. Its result is `{text, model}`, with the price and the models that were passed over. */
export function promptStep({ store, models }: PromptServices): StepType {
  return defineStepType({
    name: "prompt",
    description: "Asks a model a stored prompt, or a text with {{arguments}}.",
    mutates: true,
    params: z.strictObject(questionFields),
    async run(question, context) {
      const { name, text } = question;
      if ((name === undefined) === (text === undefined))
        throw new ToolError("invalid_input", "name, text: expected one of them");
      const stored = name === undefined ? undefined : await findPrompt(store, name);
      const filled = await fillQuestion(question, stored, context);
      const { value, model, cost, passedOver } = await models.ask({ ...filled, signal: context.signal }, context);
      return {
        text: String(value["text"]),
        model,
        ...(cost !== undefined && { cost }),
        ...(passedOver.length > 0 && { passedOver }),
      };
    },
  });
}

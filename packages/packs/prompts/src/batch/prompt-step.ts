import { defineStepType, handleIn, modelResult, ToolError, type StepType, type Store } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import { z } from "zod";
import { fillQuestion, findPrompt, questionFields } from "./question.ts";

export interface PromptServices {
  readonly store: Store;
  readonly models: Models;
}

/** A tool that gets a handle as an argument gets its value. */
const handleHint = "It is not used, because tools would read the value behind it in place of the answer.";

/** `prompt`: asks a model a stored prompt or a text. Its result is `{text}`; the run's report has the model, the price and the models that were passed over. */
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
      const answer = String(value["text"]).toWellFormed();
      if (handleIn(answer) !== undefined) throw new ToolError("denied", "the answer is a relay handle", handleHint);
      return modelResult(
        { text: answer },
        { model, cost, ...(passedOver.length > 0 && { passedOver: [...passedOver] }) },
      );
    },
  });
}

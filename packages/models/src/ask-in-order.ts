import { ToolError } from "@toolpacks/core";
import { attempt, type AttemptContext } from "./attempt.ts";
import type { ConfiguredModel } from "./configured-models.ts";
import type { AskingContext, ModelAnswer, ModelQuestion, PassedOver } from "./models.ts";

interface OrderedRequest {
  readonly candidates: readonly ConfiguredModel[];
  readonly question: ModelQuestion;
  readonly context: AskingContext;
  readonly attempts: AttemptContext;
  /** Words for the models, for errors: `model for the task "plan"`. */
  readonly what: string;
}

/** Asks the models in order until one answers. @throws ToolError with the reason of each model */
export async function askInOrder(request: OrderedRequest): Promise<ModelAnswer> {
  const { candidates, question, context, attempts, what } = request;
  const passedOver: PassedOver[] = [];
  for (const model of candidates) {
    try {
      return {
        ...(await attempt(model, { question, context, attempts, isLast: model === candidates.at(-1) })),
        passedOver,
      };
    } catch (error) {
      if (question.signal.aborted || !ToolError.is(error)) throw error;
      // Without backups, the model's own error says most.
      if (candidates.length === 1) throw error;
      const reason = reasonOf(model, error);
      attempts.log?.info(`model ${model.name} was passed over: ${reason}`);
      passedOver.push({ model: model.name, reason });
    }
  }
  const reasons = passedOver.map(({ model, reason }) => `${model}: ${reason}`);
  throw new ToolError("unavailable", `no ${what} answered: ${reasons.join("; ")}`);
}

/** The error's message without the name of the model. */
function reasonOf({ name, model }: ConfiguredModel, { message }: ToolError): string {
  const prefixes = [`model ${name}: `, `the endpoint of model ${model}: `, `the endpoint of model ${model} `];
  const prefix = prefixes.find((one) => message.startsWith(one));
  return prefix === undefined ? message : message.slice(prefix.length);
}

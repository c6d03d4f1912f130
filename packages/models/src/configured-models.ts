import type { AskingContext, ModelPlanQuestion, Tokens } from "./models.ts";
import { defaultModel, type Input, type ModelSettings } from "./model-settings.ts";
import { maxQuestionTokens } from "./estimate-question.ts";
import { priceOf } from "./price.ts";
import type { Amount } from "./use-ledger.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A model that can serve a question, as far as its settings say. */
export interface ConfiguredModel {
  /** Its name in the settings. Its use is counted under it. */
  readonly name: string;
  readonly settings: ModelSettings;
  /** The name of the model at the endpoint. */
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Why the model cannot be asked, and what to configure. */
  readonly problem?: { readonly message: string; readonly hint: string };
}

/** Maximum tokens of an answer where one is needed and nobody says how many. */
const defaultOutputTokens = 4_096;

/** The models by name: the configured ones, and `default`, which the environment may define. */
export function readModels(
  configured: Readonly<Record<string, ModelSettings>>,
  environment: Environment,
): ReadonlyMap<string, ConfiguredModel> {
  const env = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  const url = env("TOOLPACKS_MODEL_URL");
  const keyVariable = env("TOOLPACKS_MODEL_KEY") && "TOOLPACKS_MODEL_KEY";
  const general = { [defaultModel]: { url, model: env("TOOLPACKS_MODEL") ?? "default", keyVariable } };
  const all = url === undefined || Object.hasOwn(configured, defaultModel) ? configured : { ...configured, ...general };
  return new Map(
    Object.entries(all).map(([name, settings]) => {
      const { keyVariable: variable, model = name } = settings;
      const apiKey = variable && env(variable);
      const locked = { message: "its key is missing", hint: `Set $${variable} where the server starts.` };
      const problem = variable !== undefined && apiKey === undefined ? locked : undefined;
      return [name, { name, settings, model, apiKey, problem }];
    }),
  );
}

/** The tokens that a model gets and may answer with. */
export function limitsOf({ settings }: ConfiguredModel, question: ModelPlanQuestion): Tokens & { isStated: boolean } {
  const stated = [question.maxOutputTokens, settings.maxOutputTokens].filter((one) => one !== undefined);
  const input = maxQuestionTokens(question);
  const output = stated.length > 0 ? Math.min(...stated) : defaultOutputTokens;
  return { input, output, isStated: stated.length > 0 };
}

/** What a question reserves in the budgets of a model. */
export function reservationOf(model: ConfiguredModel, question: ModelPlanQuestion) {
  return { name: model.name, budget: model.settings.budget, most: maxUseOf(model, question) };
}

/** The most that a question may use. */
export function maxUseOf(model: ConfiguredModel, question: ModelPlanQuestion): Amount {
  const { input, output } = limitsOf(model, question);
  return { input, output, billionths: priceOf({ input, output }, knownPrice(model.settings)) };
}

/** The price of a model. The client pays for its own model. */
export function knownPrice({ price, sampling }: ModelSettings): Tokens | undefined {
  return sampling === true ? { input: 0, output: 0 } : price;
}

/** What a model takes. */
export function takesOf({ takes = ["text", "json"] }: ModelSettings): readonly Input[] {
  return takes;
}

/** Why a model does not fit a question, apart from budgets. Undefined: it fits. */
export function misfit(
  model: ConfiguredModel,
  question: ModelPlanQuestion,
  context: AskingContext,
): string | undefined {
  const { settings, problem } = model;
  if (problem !== undefined) return problem.message;
  const needed: Input[] = ["text"];
  if (question.schema !== undefined) needed.push("json");
  if ((question.images?.length ?? 0) > 0) needed.push("images");
  const missing = needed.filter((one) => !takesOf(settings).includes(one));
  if (missing.length > 0) return `it does not take ${missing.join(" and ")}`;
  const { input, output, isStated } = limitsOf(model, question);
  // An answer that nobody bounds may be short.
  const tokens = input + (isStated ? output : 0);
  if (settings.window !== undefined && tokens > settings.window)
    return `its context window of ${settings.window.toLocaleString("en")} tokens is too small for about ${tokens.toLocaleString("en")}`;
  if (settings.sampling === true && context.sample === undefined) return "no client is connected that offers its model";
  return undefined;
}

/** Orders models that nobody has ordered: by the largest price of the question, unknown prices after known ones, and the client's model last. */
export function byPrice(models: readonly ConfiguredModel[], question: ModelPlanQuestion): readonly ConfiguredModel[] {
  const rank = (model: ConfiguredModel) =>
    model.settings.sampling === true ? Infinity : (maxUseOf(model, question).billionths ?? Number.MAX_VALUE);
  return models.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return a === b ? 0 : a - b;
  });
}

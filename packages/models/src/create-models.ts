import { ToolError, type PackLog, type Store } from "@toolpacks/core";
import { attempt, type AttemptContext, type AttemptRequest } from "./attempt.ts";
import { byPrice, maxUseOf, misfit, readModels, reservationOf, type ConfiguredModel } from "./configured-models.ts";
import { maxQuestionTokens } from "./estimate-question.ts";
import { listModels } from "./list-models.ts";
import { defaultModel, type BudgetSettings, type ModelSettings, type RoutingSettings } from "./model-settings.ts";
import type {
  AskingContext,
  ModelAnswer,
  ModelOrTask,
  ModelPlan,
  ModelPlanQuestion,
  Models,
  PassedOver,
} from "./models.ts";
import { pausedFor } from "./pauses.ts";
import { toMoney } from "./price.ts";
import { createUseLedger } from "./use-ledger.ts";

export interface ModelsOptions {
  /** The models by name. Default: only that of `$TOOLPACKS_MODEL_URL`. */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  /** For each task, the models that serve it, in order. */
  readonly routing?: RoutingSettings | undefined;
  /** What may be used of all models together. */
  readonly modelBudget?: BudgetSettings | undefined;
  /** Counts the use of models. Budgets hold over all processes of the same store and workspace. Without it, a model with a budget is not asked. */
  readonly store?: Store | undefined;
  /** Gets a line for each model that was passed over. Default: none. */
  readonly log?: Pick<PackLog, "info" | "warn"> | undefined;
  /** The variables of keys, and of the default endpoint. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Creates models from their settings. It reads no key before a question. */
export function createModels(options: ModelsOptions): Models {
  const { models: configured = {}, routing = {}, modelBudget, store, log, environment = {} } = options;
  const read = () => readModels(configured, environment);
  const ledger = createUseLedger(store, modelBudget);
  const attempts: AttemptContext = { ledger, pauses: new Map(), log };
  return {
    async ask(question, context = {}) {
      return askInOrder(candidatesOf(read(), routing, question), { question, context, attempts });
    },
    async plan(question, context = {}) {
      return planOf(candidatesOf(read(), routing, question), { question, context, attempts });
    },
    async problem(name) {
      try {
        return problemOf(candidatesOf(read(), routing, { ...name, prompt: "" }));
      } catch (error) {
        if (!ToolError.is(error)) throw error;
        return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
      }
    },
    list: (listing) => listModels({ models: [...read().values()], routing, ledger, all: modelBudget, ...listing }),
  };
}

/** Asks the models in order until one answers. @throws ToolError with the reason of each model */
async function askInOrder(
  candidates: readonly ConfiguredModel[],
  asking: Omit<AttemptRequest, "isLast">,
): Promise<ModelAnswer> {
  const { question, attempts } = asking;
  const passedOver: PassedOver[] = [];
  for (const model of candidates) {
    try {
      return { ...(await attempt(model, { ...asking, isLast: model === candidates.at(-1) })), passedOver };
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
  throw new ToolError("unavailable", `no ${describe(question)} answered: ${reasons.join("; ")}`);
}

/** The error's message without the name of the model. */
function reasonOf({ name, model }: ConfiguredModel, { message }: ToolError): string {
  const prefixes = [`model ${name}: `, `the endpoint of model ${model}: `, `the endpoint of model ${model} `];
  const prefix = prefixes.find((one) => message.startsWith(one));
  return prefix === undefined ? message : message.slice(prefix.length);
}

interface PlanContext {
  readonly question: ModelPlanQuestion;
  readonly context: AskingContext;
  readonly attempts: AttemptContext;
}

async function planOf(
  candidates: readonly ConfiguredModel[],
  { question, context, attempts }: PlanContext,
): Promise<ModelPlan> {
  const passedOver: PassedOver[] = [];
  for (const model of candidates) {
    const unfit = misfit(model, question, context) ?? pausedFor(model, attempts.pauses);
    const reason = unfit ?? (await attempts.ledger.refusal(reservationOf(model, question)));
    if (reason === undefined) {
      const { input, output, billionths } = maxUseOf(model, question);
      const maxCost = billionths === undefined ? {} : { maxCost: toMoney(billionths) };
      return { model: model.name, tokens: { input, output }, ...maxCost, passedOver };
    }
    passedOver.push({ model: model.name, reason });
  }
  return { model: undefined, tokens: { input: maxQuestionTokens(question), output: 0 }, passedOver };
}

/** Words for the models of a question, for errors. */
function describe({ model, task }: ModelOrTask): string {
  if (model !== undefined) return `model ${JSON.stringify(model)}`;
  return task === undefined ? "model" : `model for the task ${JSON.stringify(task)}`;
}

/** The models to ask, in order. @throws ToolError `unavailable` where there is none */
function candidatesOf(
  models: ReadonlyMap<string, ConfiguredModel>,
  routing: RoutingSettings,
  question: ModelPlanQuestion,
): readonly ConfiguredModel[] {
  const { model, task } = question;
  if (model !== undefined && task !== undefined)
    throw new ToolError("invalid_input", "model, task: expected one of them, received both");
  const routed = task !== undefined && Object.hasOwn(routing, task) ? routing[task] : undefined;
  const names = model ?? routed;
  const found =
    names === undefined
      ? byPrice([...models.values()], question)
      : [names].flat().flatMap((name) => byName(models, name));
  if (found.length > 0) return found;
  throw new ToolError(
    "unavailable",
    `no ${describe(question)} is configured`,
    "The user can set models in the config file, or $TOOLPACKS_MODEL_URL and $TOOLPACKS_MODEL.",
  );
}

/** Why none of the models can ever be asked. */
function problemOf(models: readonly ConfiguredModel[]): string | undefined {
  if (models.some(({ problem }) => problem === undefined)) return undefined;
  return models.map(({ name, problem }) => `model ${name}: ${problem?.message}. ${problem?.hint}`).join("; ");
}

/** A model by its name. The default model serves each unknown name, which the endpoint then gets. */
function byName(models: ReadonlyMap<string, ConfiguredModel>, name: string): readonly ConfiguredModel[] {
  const own = models.get(name);
  if (own !== undefined) return [own];
  const general = models.get(defaultModel);
  return general === undefined ? [] : [{ ...general, model: name }];
}

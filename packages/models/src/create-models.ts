import { ToolError, type PackLog, type Store } from "@toolpacks/core";
import type { AttemptContext } from "./attempt.ts";
import { byPrice, mostOf, misfit, readModels, type ConfiguredModel } from "./configured-models.ts";
import { maxQuestionTokens } from "./estimate-question.ts";
import type { BudgetSettings, ModelSettings, RoutingSettings } from "./model-settings.ts";
import { defaultModel } from "./model-settings.ts";
import type { AskingContext, ModelOrTask, ModelPlan, ModelPlanQuestion, Models, PassedOver } from "./models.ts";
import { pausedFor } from "./pauses.ts";
import { toMoney } from "./price.ts";
import { createUseLedger, hasBudget, uncounted } from "./use-ledger.ts";

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

/** Creates models from their settings. It reads no key before a question, and loads the code of endpoints at the first one. */
export function createModels(options: ModelsOptions): Models {
  const { models: configured = {}, routing = {}, modelBudget, store, log, environment = {} } = options;
  const router = createRouter(() => readModels(configured, environment), routing);
  const ledger = store && createUseLedger(store);
  const pauses = new Map<string, number>();
  const attempts: AttemptContext = { ledger, pauses, all: modelBudget, log };
  return {
    async ask(question, context = {}) {
      const { askInOrder } = await import("./ask-in-order.ts");
      const found = router.candidates(question, question);
      return askInOrder({ ...found, question, context, attempts, what: describe(question) });
    },
    async plan(question, context = {}) {
      const { candidates } = router.candidates(question, question);
      return planOf(candidates, { question, context, attempts });
    },
    async problem(name) {
      return router.problem(name);
    },
    async list(listing = {}) {
      const { listModels } = await import("./list-models.ts");
      const models = [...readModels(configured, environment).values()];
      return listModels({ models, routing, ledger, all: modelBudget, ...listing });
    },
  };
}

/** Why a model is not asked now: it does not fit, pauses, or has no budget left. */
async function refusalOf(
  model: ConfiguredModel,
  { question, context, attempts }: PlanContext,
): Promise<string | undefined> {
  const reason = misfit(model, question, context) ?? pausedFor(model, attempts.pauses);
  if (reason !== undefined) return reason;
  const budgets = { model: model.settings.budget, all: attempts.all };
  if (attempts.ledger === undefined) return hasBudget(budgets) ? uncounted : undefined;
  return attempts.ledger.refusal(model.name, mostOf(model, question), budgets);
}

interface PlanContext {
  readonly question: ModelPlanQuestion;
  readonly context: AskingContext;
  readonly attempts: AttemptContext;
}

async function planOf(candidates: readonly ConfiguredModel[], plan: PlanContext): Promise<ModelPlan> {
  const passedOver: PassedOver[] = [];
  for (const model of candidates) {
    const reason = await refusalOf(model, plan);
    if (reason === undefined) {
      const { input, output, billionths } = mostOf(model, plan.question);
      const maxCost = billionths === undefined ? {} : { maxCost: toMoney(billionths) };
      return { model: model.name, tokens: { input, output }, ...maxCost, passedOver };
    }
    passedOver.push({ model: model.name, reason });
  }
  return { model: undefined, tokens: { input: maxQuestionTokens(plan.question), output: 0 }, passedOver };
}

/** Words for the models of a question, for errors. */
function describe({ model, task }: ModelOrTask): string {
  if (model !== undefined) return `model ${JSON.stringify(model)}`;
  return task === undefined ? "model" : `model for the task ${JSON.stringify(task)}`;
}

interface Router {
  /** The models to ask, in order. @throws ToolError `unavailable` where there is none */
  candidates(name: ModelOrTask, question: ModelPlanQuestion): { readonly candidates: readonly ConfiguredModel[] };
  problem(name: ModelOrTask): string | undefined;
}

function createRouter(read: () => ReadonlyMap<string, ConfiguredModel>, routing: RoutingSettings): Router {
  const find = ({ model, task }: ModelOrTask, question: ModelPlanQuestion): readonly ConfiguredModel[] => {
    const models = read();
    if (model !== undefined) return [byName(models, model)].flat();
    const routed = task !== undefined && Object.hasOwn(routing, task) ? routing[task] : undefined;
    if (routed === undefined) return byPrice([...models.values()], question);
    return [routed].flat().flatMap((name) => models.get(name) ?? []);
  };
  const candidates: Router["candidates"] = (name, question) => {
    if (name.model !== undefined && name.task !== undefined)
      throw new ToolError("invalid_input", "model, task: expected one of them, received both");
    const found = find(name, question);
    if (found.length > 0) return { candidates: found };
    throw new ToolError(
      "unavailable",
      `no ${describe(name)} is configured`,
      "The user can set models in the config file, or $TOOLPACKS_MODEL_URL and $TOOLPACKS_MODEL.",
    );
  };
  return {
    candidates,
    problem(name) {
      try {
        const found = candidates(name, { prompt: "" }).candidates;
        if (found.some(({ problem }) => problem === undefined)) return undefined;
        const problems = found.map((one) => `model ${one.name}: ${one.problem?.message}. ${one.problem?.hint}`);
        return problems.join("; ");
      } catch (error) {
        if (!ToolError.is(error)) throw error;
        return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
      }
    },
  };
}

/** A model by its name. The default model serves each unknown name, which the endpoint then gets. */
function byName(models: ReadonlyMap<string, ConfiguredModel>, name: string): ConfiguredModel | [] {
  const own = models.get(name);
  if (own !== undefined) return own;
  const general = models.get(defaultModel);
  return general === undefined ? [] : { ...general, model: name };
}

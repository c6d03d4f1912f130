import { ToolError } from "@toolpacks/core";
import { boundedFetch } from "@toolpacks/bounded-io";
import { takesOf, type ConfiguredModel } from "./configured-models.ts";
import type { BudgetSettings, RoutingSettings } from "./model-settings.ts";
import type { ListOptions, ModelList, ModelState, Use } from "./models.ts";
import { toMoney } from "./price.ts";
import type { MonthUse } from "./use-kind.ts";
import { today, usedIn, type UseLedger } from "./use-ledger.ts";

interface Listing extends ListOptions {
  readonly models: readonly ConfiguredModel[];
  readonly routing: RoutingSettings;
  readonly ledger: UseLedger;
  /** The budget of all models together. */
  readonly all: BudgetSettings | undefined;
}

/** Describes each model, with its use in this day and month. */
export async function listModels({ models, routing, ledger, all, check = false, signal }: Listing): Promise<ModelList> {
  const days = await ledger.read();
  const day = today();
  const states = models.map(async (one) => {
    const { name, settings, model, problem, apiKey } = one;
    const { url, keyVariable, window, price, budget, sampling } = settings;
    const tasks = Object.entries(routing).filter(([, names]) => [names].flat().includes(name));
    const isChecked = check && url !== undefined && problem === undefined;
    const state: ModelState = {
      name,
      kind: sampling === true ? "sampling" : "endpoint",
      ...(url !== undefined && { host: new URL(url).host, model }),
      ...(keyVariable !== undefined && { key: { variable: keyVariable, isSet: apiKey !== undefined } }),
      window,
      price,
      takes: takesOf(settings),
      tasks: tasks.map(([task]) => task),
      use: { day: useOf(days, "day", { day, model: name }), month: useOf(days, "month", { day, model: name }) },
      budget: budget ?? {},
      problem: problem && `${problem.message}. ${problem.hint}`,
      check: isChecked ? await checkEndpoint(one, signal) : undefined,
    };
    return state;
  });
  return {
    models: await Promise.all(states),
    use: { day: useOf(days, "day", { day }), month: useOf(days, "month", { day }) },
    budget: all ?? {},
  };
}

function useOf(days: MonthUse, period: "day" | "month", of: { readonly day: string; readonly model?: string }): Use {
  const { input, output, billionths, questions } = usedIn(days, period, of);
  return { tokens: input + output, money: toMoney(billionths), questions };
}

const checkTimeoutMs = 10_000;

/** Asks an endpoint for its list of models. Any response shows that it can be reached. */
async function checkEndpoint({ settings, apiKey }: ConfiguredModel, signal?: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(checkTimeoutMs);
  try {
    const response = await boundedFetch({ maxBytes: 1 })(`${settings.url?.replace(/\/+$/, "")}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    return response.ok ? "responds" : `answered ${response.status}`;
  } catch (error) {
    if (ToolError.is(error)) return "responds";
    return timeout.aborted ? `did not answer within ${checkTimeoutMs / 1_000} s` : "cannot be reached";
  }
}

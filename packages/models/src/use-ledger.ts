import type { Store } from "@toolpacks/core";
import type { Limit, Period, Tokens } from "./models.ts";
import type { BudgetSettings } from "./model-settings.ts";
import { toBillionths, toMoney } from "./price.ts";
import { useKind, type ModelUse, type MonthUse } from "./use-kind.ts";

/** What a question uses, or may use at most. */
export interface Amount extends Tokens {
  /** The price in billionths. Undefined: unknown. */
  readonly billionths: number | undefined;
}

export interface Budgets {
  /** The budget of the model. */
  readonly model: BudgetSettings | undefined;
  /** The budget of all models together. */
  readonly all: BudgetSettings | undefined;
}

/** An amount that is counted as used before the question is asked. */
export interface Reservation {
  /** Replaces the reserved amount by what was really used. Undefined: nothing was used. */
  settle(used: Amount | undefined): Promise<void>;
}

const periods: readonly Period[] = ["day", "month"];
const nothing: ModelUse = { input: 0, output: 0, billionths: 0, questions: 0 };

export type UseLedger = ReturnType<typeof createUseLedger>;

/** Counts what models use, over all processes of the store. */
export function createUseLedger(store: Store) {
  return {
    /**
     * Counts the largest amount of a question, in one transaction with the check of the budgets. A process that is killed before `settle` leaves the
     * amount counted, because the endpoint may have answered and charge for it.
     *
     * @returns the reservation, or why a budget forbids the question
     */
    async reserve(model: string, most: Amount, budgets: Budgets): Promise<Reservation | string> {
      const place = { day: today(), model };
      const refused = await store.transaction(async (inside) => {
        const days = await readMonth(inside, place.day);
        const refusal = findRefusal(days, { ...place, most, budgets });
        if (refusal === undefined) await add(inside, days, { ...place, more: asUse(most) });
        return refusal;
      });
      return refused ?? { settle: (used) => settle(store, { ...place, most, used }) };
    },
    /** Why the budgets forbid the question now. Counts nothing. */
    async refusal(model: string, most: Amount, budgets: Budgets): Promise<string | undefined> {
      return findRefusal(await readMonth(store, today()), { day: today(), model, most, budgets });
    },
    /** The use of the current month. */
    read: () => readMonth(store, today()),
  };
}

/** The day in UTC: `2026-11-23`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function monthOf(day: string): string {
  return day.slice(0, 7);
}

async function readMonth(store: Store, day: string): Promise<MonthUse> {
  return (await store.get(useKind, monthOf(day)))?.data.days ?? {};
}

interface Place {
  readonly day: string;
  readonly model: string;
}

/** Corrects the use of the day on which the question was asked. */
function settle(
  store: Store,
  { most, used, ...place }: Place & { readonly most: Amount; readonly used: Amount | undefined },
): Promise<void> {
  const after = used === undefined ? nothing : asUse(used);
  const more = combine(after, asUse(most), (one, other) => one - other);
  return store.transaction(async (inside) => add(inside, await readMonth(inside, place.day), { ...place, more }));
}

function asUse({ input, output, billionths = 0 }: Amount): ModelUse {
  return { input, output, billionths, questions: 1 };
}

function combine(one: ModelUse, other: ModelUse, add: (one: number, other: number) => number): ModelUse {
  return {
    input: add(one.input, other.input),
    output: add(one.output, other.output),
    billionths: add(one.billionths, other.billionths),
    questions: add(one.questions, other.questions),
  };
}

async function add(
  inside: Store,
  days: MonthUse,
  { day, model, more }: Place & { readonly more: ModelUse },
): Promise<void> {
  const models = days[day] ?? {};
  const before = Object.hasOwn(models, model) ? models[model] : undefined;
  // Never below zero, if somebody has deleted the record meanwhile.
  const sum = combine(before ?? nothing, more, (one, other) => Math.max(0, one + other));
  await inside.put(useKind, { days: { ...days, [day]: { ...models, [model]: sum } } }, { id: monthOf(day) });
}

/** The use of a day or of the month, by one model or by all. */
export function usedIn(days: MonthUse, period: Period, { day, model }: { day: string; model?: string }): ModelUse {
  const counted = period === "day" ? [days[day] ?? {}] : Object.values(days);
  const uses = counted.flatMap((models) => {
    return Object.entries(models).flatMap(([name, use]) => (model === undefined || name === model ? [use] : []));
  });
  return uses.reduce((sum, one) => combine(sum, one, (a, b) => a + b), nothing);
}

interface Check extends Place {
  readonly most: Amount;
  readonly budgets: Budgets;
}

function findRefusal(days: MonthUse, { day, model, most, budgets }: Check): string | undefined {
  const scopes = [
    { budget: budgets.model, whose: "its budget", model },
    { budget: budgets.all, whose: "the budget of all models", model: undefined },
  ];
  for (const scope of scopes) {
    for (const period of periods) {
      const limit = scope.budget?.[period];
      if (limit === undefined) continue;
      const used = usedIn(days, period, { day, model: scope.model });
      const exceeded = exceededLimit(limit, { used, most });
      if (exceeded !== undefined) return `${scope.whose} of ${exceeded} a ${period} does not allow the question`;
    }
  }
  return undefined;
}

function exceededLimit(limit: Limit, { used, most }: { used: ModelUse; most: Amount }): string | undefined {
  const tokens = used.input + used.output;
  const wanted = most.input + most.output;
  if (limit.tokens !== undefined && tokens + wanted > limit.tokens)
    return `${limit.tokens.toLocaleString("en")} tokens (${tokens.toLocaleString("en")} used, up to ${wanted.toLocaleString("en")} needed)`;
  if (limit.money === undefined) return undefined;
  if (most.billionths === undefined) return `${limit.money} in money, with an unknown price,`;
  if (used.billionths + most.billionths <= toBillionths(limit.money)) return undefined;
  return `${limit.money} in money (${toMoney(used.billionths)} used, up to ${toMoney(most.billionths)} needed)`;
}

/** Whether any budget holds. */
export function hasBudget({ model, all }: Budgets): boolean {
  return periods.some((period) => model?.[period] !== undefined || all?.[period] !== undefined);
}

/** Why a model with a budget is not asked where nothing counts its use. */
export const uncounted = "its budget cannot be counted without a store";

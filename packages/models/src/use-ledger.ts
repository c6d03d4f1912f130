import type { Store } from "@toolpacks/core";
import type { Period, Tokens } from "./models.ts";
import type { BudgetSettings, Limit } from "./model-settings.ts";
import { toBillionths, toMoney } from "./price.ts";
import { useKind, type ModelUse, type MonthUse } from "./use-kind.ts";

/** What a question uses, or may use at most. */
export interface Amount extends Tokens {
  /** The price in billionths. Undefined: unknown. */
  readonly billionths: number | undefined;
}

/** An amount that is counted as used before the question is asked. */
export interface Reservation {
  /** Replaces the reserved amount by what was really used. Undefined: nothing was used. */
  settle(used: Amount | undefined): Promise<void>;
}

const periods: readonly Period[] = ["day", "month"];
const nothing: ModelUse = { input: 0, output: 0, billionths: 0, questions: 0 };

export type UseLedger = ReturnType<typeof createUseLedger>;

/**
 * Counts what models use, over all processes of the store. Without a store, it counts nothing, and a model with a budget is refused.
 *
 * @param all the budget of all models together
 */
export function createUseLedger(store: Store | undefined, all: BudgetSettings | undefined) {
  const isFree = (budget: BudgetSettings | undefined) =>
    periods.every((period) => budget?.[period] === undefined && all?.[period] === undefined);
  return {
    /**
     * Counts the largest amount of a question, in one transaction with the check of the budgets. A process that is killed before `settle` leaves the
     * amount counted, because the endpoint may have answered and charge for it.
     *
     * @returns the reservation, undefined if no budget holds, or why a budget forbids the question
     */
    async reserve({ name, budget, most }: Wanted): Promise<Reservation | string | undefined> {
      if (isFree(budget)) return undefined;
      if (store === undefined) return uncounted;
      const place = { day: today(), model: name };
      const refused = await store.transaction(async (inside) => {
        const days = await readMonth(inside, place.day);
        const refusal = findRefusal(days, { name, budget, most }, all);
        if (refusal === undefined) await add(inside, days, { ...place, more: asUse(most) });
        return refusal;
      });
      const settle = (used: Amount | undefined) => {
        const after = used === undefined ? nothing : asUse(used);
        return addLater(store, { ...place, more: combine(after, asUse(most), (one, other) => one - other) });
      };
      return refused ?? { settle };
    },
    /** Why the budgets forbid the question now. Counts nothing. */
    async refusal(wanted: Wanted): Promise<string | undefined> {
      if (isFree(wanted.budget)) return undefined;
      return store === undefined ? uncounted : findRefusal(await readMonth(store, today()), wanted, all);
    },
    /** Counts what was used without a reservation. */
    async count(model: string, used: Amount): Promise<void> {
      if (store !== undefined) await addLater(store, { day: today(), model, more: asUse(used) });
    },
    /** The use of the current month. */
    read: async (): Promise<MonthUse> => (store === undefined ? {} : readMonth(store, today())),
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

/** The use of a model on a day. */
interface Addition {
  readonly day: string;
  readonly model: string;
  readonly more: ModelUse;
}

function addLater(store: Store, addition: Addition): Promise<void> {
  return store.transaction(async (inside) => add(inside, await readMonth(inside, addition.day), addition));
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

async function add(inside: Store, days: MonthUse, { day, model, more }: Addition): Promise<void> {
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

/** A question to a model. */
interface Wanted {
  readonly name: string;
  readonly budget: BudgetSettings | undefined;
  readonly most: Amount;
}

function findRefusal(
  days: MonthUse,
  { name, budget, most }: Wanted,
  all: BudgetSettings | undefined,
): string | undefined {
  const scopes = [
    { budget, whose: "its budget", model: name },
    { budget: all, whose: "the budget of all models", model: undefined },
  ];
  for (const scope of scopes) {
    for (const period of periods) {
      const limit = scope.budget?.[period];
      if (limit === undefined) continue;
      const used = usedIn(days, period, { day: today(), model: scope.model });
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

/** Why a model with a budget is not asked where nothing counts its use. */
const uncounted = "its budget cannot be counted without a store";

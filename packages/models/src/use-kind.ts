import { defineKind } from "@toolpacks/core";
import { z } from "zod";

const count = z.int().min(0);

const modelUse = z.strictObject({
  input: count.describe("tokens of questions"),
  output: count.describe("tokens of answers"),
  /** Integers add exactly, over any number of processes. */
  billionths: count.describe("price in billionths of the currency"),
  questions: count,
});
export type ModelUse = z.output<typeof modelUse>;

/** What models have used in one month. The record's id is the month: `2026-11`. Only the ledger writes it. */
export const useKind = defineKind({
  name: "model_use",
  description: "Tokens and price that models have used in one month, by day in UTC and by the model's name.",
  sealed: true,
  schema: () =>
    z.strictObject({
      days: z.record(z.string(), z.record(z.string(), modelUse)).describe("days such as 2026-11-23"),
    }),
});

/** The use of each model on each day of one month. */
export type MonthUse = Readonly<Record<string, Readonly<Record<string, ModelUse>>>>;

import { z } from "zod";

/** What a model accepts: `json` is an answer of a schema. */
export const inputs = ["text", "json", "images"] as const;
export type Input = (typeof inputs)[number];

const limit = z
  .strictObject({
    tokens: z.int().min(1).optional().describe("tokens of questions and answers together"),
    money: z.number().positive().max(1_000_000).optional().describe("price of questions and answers"),
  })
  .refine(({ tokens, money }) => tokens !== undefined || money !== undefined, "expected tokens, money or both");

/** A limit of what is used in a day or a month. */
export type Limit = z.output<typeof limit>;

const periods = {
  day: limit.optional().describe("maximum of a day in UTC"),
  month: limit.optional().describe("maximum of a month in UTC"),
};

/** A budget of a model, or of all models together. */
export const budgetSettings = z.strictObject(periods);
export type BudgetSettings = z.output<typeof budgetSettings>;

/** A name of a model or a task. */
export const modelName = z
  .string()
  .regex(/^[^\s\p{C}]{1,200}$/u, "expected 1 to 200 characters without spaces or control characters");

const price = z.number().min(0).max(100_000);

const fields = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1"),
  sampling: z.literal(true).optional().describe("in place of url: ask the model of the connected MCP client"),
  model: z.string().min(1).max(200).optional().describe("name of the model at the endpoint; default: its name here"),
  keyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable")
    .optional()
    .describe("environment variable that holds the key"),
  price: z
    .strictObject({ input: price.describe("of a question"), output: price.describe("of an answer") })
    .optional()
    .describe("price of a million tokens, in any one currency"),
  window: z.int().min(1_000).optional().describe("context window in tokens: question and answer together"),
  maxOutputTokens: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe("maximum tokens of an answer; default: no maximum, or 4096 where a budget holds"),
  takes: z
    .array(z.enum(inputs))
    .min(1)
    .optional()
    .describe("what the model takes: text, images, and json: answers of a schema; default text and json"),
  timeoutSeconds: z
    .number()
    .positive()
    .max(3_600)
    .optional()
    .describe("seconds for an answer; default 120 where another model can be asked, else 600"),
  budget: budgetSettings.optional().describe("what may be used of this model"),
});

/** A model in the config file: an OpenAI-compatible endpoint, whose key comes from the environment, or the model of the client. */
export const modelSettings = fields.superRefine((model, context) => {
  const { url, sampling, price: known, budget } = model;
  const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
  if (url === undefined && sampling === undefined) refuse("url", "expected an address, or sampling: true");
  const endpointFields = sampling === undefined ? [] : (["url", "model", "keyVariable", "price"] as const);
  for (const field of endpointFields) if (model[field] !== undefined) refuse(field, "expected none beside sampling");
  const countsMoney = budget?.day?.money !== undefined || budget?.month?.money !== undefined;
  if (countsMoney && known === undefined) refuse("price", "expected a price, because the budget counts money");
});
export type ModelSettings = z.output<typeof modelSettings>;

/** The value of the config key `models`. */
export const modelsSettings = z.record(modelName, modelSettings);

/** The value of the config key `routing`: for each task, a model or several in order. */
export const routingSettings = z.record(modelName, z.union([modelName, z.array(modelName).min(1).max(20)]));
export type RoutingSettings = z.output<typeof routingSettings>;

/** A mistake that concerns several settings, with its place. */
export interface SettingsMistake {
  readonly path: readonly string[];
  readonly message: string;
}

interface AllSettings {
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  readonly routing?: RoutingSettings | undefined;
  readonly modelBudget?: BudgetSettings | undefined;
}

/** The mistakes between settings that are each valid: tasks of unknown models, and money without a price. */
export function settingsMistakes({ models = {}, routing = {}, modelBudget }: AllSettings): readonly SettingsMistake[] {
  const unknown = Object.entries(routing).flatMap(([task, names]) =>
    [names].flat().flatMap((name) => {
      if (name === defaultModel || Object.hasOwn(models, name)) return [];
      const known = Object.keys(models).join(", ") || "none";
      return [{ path: ["routing", task], message: `unknown model ${JSON.stringify(name)} (models: ${known})` }];
    }),
  );
  const countsMoney = modelBudget?.day?.money !== undefined || modelBudget?.month?.money !== undefined;
  const unpriced = Object.entries(models).filter(
    ([, { price: known, sampling }]) => known === undefined && sampling === undefined,
  );
  const message = "expected a price, because modelBudget counts money; 0 if the model costs nothing";
  return [...unknown, ...(countsMoney ? unpriced.map(([name]) => ({ path: ["models", name, "price"], message })) : [])];
}

/** The model that serves every name that is not configured. */
export const defaultModel = "default";

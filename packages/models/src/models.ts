import type { ToolContext, ToolSchema } from "@toolpacks/core";
import type { BudgetSettings, Input } from "./model-settings.ts";

/** Models by name, and the tasks that they serve. Created by `createModels`. */
export interface Models {
  /**
   * Asks the model of the question, or the models of its task in order until one answers.
   *
   * @param context the context of the call, through which a sampling model asks the client. Default: no client can be asked
   * @throws ToolError `unavailable` that names each model and why it gave no answer; `cancelled` when the question's signal aborts
   */
  ask(question: ModelQuestion, context?: AskingContext): Promise<ModelAnswer>;
  /** What asking would take, now. Asks no model. */
  plan(question: ModelPlanQuestion, context?: AskingContext): Promise<ModelPlan>;
  /** Why a model or the models of a task can never answer with this configuration, in one line. Undefined: they can. */
  problem(name: ModelOrTask): Promise<string | undefined>;
  /** Every model with its price, use and budget, and the use of all. */
  list(options?: ListOptions): Promise<ModelList>;
}

/** The part of a call's context that asking uses. */
export type AskingContext = Pick<ToolContext, "sample">;

/** A model by its name, or a task. Neither: any model, chosen by context window and price. Both are refused. */
export interface ModelOrTask {
  /** A name of `models`. It is asked alone, without backups. Of an unknown name: the default endpoint, with this model name. */
  readonly model?: string | undefined;
  /** A word of `routing`, or any other: then every model may serve it. */
  readonly task?: string | undefined;
}

export interface ModelQuestion extends ModelOrTask {
  readonly prompt: string;
  readonly system?: string | undefined;
  readonly images?: readonly Image[] | undefined;
  /** The schema of the answer. Default: the answer is a text. */
  readonly schema?: ToolSchema | undefined;
  /** Maximum tokens of the answer. Default: that of the model. */
  readonly maxOutputTokens?: number | undefined;
  /** Stops the question, and all models that would be asked next. */
  readonly signal: AbortSignal;
}

export interface Image {
  /** The bytes in base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface ModelAnswer {
  /** The text as `{ text }`, or the value of the schema. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The name of the model that answered. */
  readonly model: string;
  /** Tokens as they count against budgets: never fewer than estimated from what was sent and received. */
  readonly tokens: Tokens;
  /** The price of the tokens. Absent: the price of the model is unknown. */
  readonly cost?: number;
  /** Models that were tried or left out before, in order. */
  readonly passedOver: readonly PassedOver[];
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface PassedOver {
  readonly model: string;
  /** Why, in a few words: `over its budget of 1,000 tokens a day`. It holds no text of an endpoint. */
  readonly reason: string;
}

/** A question whose plan is wanted. */
export type ModelPlanQuestion = Omit<ModelQuestion, "signal">;

export interface ModelPlan {
  /** The model that would be asked first. Undefined: none can be asked. */
  readonly model: string | undefined;
  /** Estimated tokens of the question, and the maximum of the answer. */
  readonly tokens: Tokens;
  /** The largest price of the question. Absent: no model can be asked, or its price is unknown. */
  readonly maxCost?: number;
  readonly passedOver: readonly PassedOver[];
}

export interface ListOptions {
  /** Whether each endpoint with a key is asked if it responds, which costs nothing. Default false. */
  readonly check?: boolean;
  readonly signal?: AbortSignal;
}

export interface ModelList {
  readonly models: readonly ModelState[];
  /** The use of all models together, also of those that are not configured any more. */
  readonly use: Readonly<Record<Period, Use>>;
  /** The budget of all models together. */
  readonly budget: BudgetSettings;
}

/** A model as `toolpacks models` shows it. */
export interface ModelState {
  readonly name: string;
  readonly kind: "endpoint" | "sampling";
  /** The host of the endpoint. */
  readonly host?: string;
  /** The name of the model at the endpoint. */
  readonly model?: string;
  /** The variable of the key. Absent: the endpoint needs no key. */
  readonly key?: { readonly variable: string; readonly isSet: boolean };
  readonly window?: number;
  readonly price?: Readonly<Tokens>;
  readonly takes: readonly Input[];
  /** The tasks of `routing` that name the model. */
  readonly tasks: readonly string[];
  readonly use: Readonly<Record<Period, Use>>;
  readonly budget: BudgetSettings;
  /** Why the model cannot be asked. */
  readonly problem?: string;
  /** With `check`: `responds`, or how the endpoint failed. */
  readonly check?: string;
}

export type Period = "day" | "month";

/** What was used in the current day or month, in UTC. */
export interface Use {
  readonly tokens: number;
  readonly money: number;
  readonly questions: number;
}

import { isObject } from "@toolpacks/schema";

const brand = Symbol.for("toolpacks.ModelResult");

/** The result of a step type that asked a model: the value for later steps, and what the report says of the model. */
export interface ModelResult {
  readonly [brand]: true;
  readonly value: unknown;
  readonly asked: AskedModel;
}

/** Which model answered. */
export interface AskedModel {
  readonly model?: string;
  /** The price of the answer. */
  readonly cost?: number;
  /** Models that were to be asked before, and why they gave no answer. */
  readonly passedOver?: { readonly model: string; readonly reason: string }[];
}

/** Creates the result of a step type that asked a model. */
export function modelResult(value: unknown, asked: AskedModel): ModelResult {
  return { [brand]: true, value, asked };
}

export function isModelResult(result: unknown): result is ModelResult {
  return isObject(result) && brand in result;
}

import { isObject } from "../is-object.ts";
import { checkCombinators } from "./combinators.ts";
import { checkArray, checkObject } from "./containers.ts";
import type { Evaluation, KeywordCheck } from "./evaluation.ts";
import { checkScalars } from "./scalars.ts";

/** Checks all keywords of a schema on one value. A value of the wrong type is not checked further. */
export function checkKeywords(evaluation: Evaluation, check: KeywordCheck): void {
  const { value } = check.node;
  if (!checkScalars(evaluation, check)) return;
  if (Array.isArray(value)) checkArray(evaluation, check);
  else if (isObject(value)) checkObject(evaluation, check);
  checkCombinators(evaluation, check);
}

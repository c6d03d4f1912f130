import { isObject } from "../is-object.ts";
import { dependenciesOf } from "./containers.ts";
import type { Evaluation, KeywordCheck } from "./evaluation.ts";
import type { Problem, Result } from "./value-node.ts";

/** Checks the keywords that apply further schemas to the same value. */
export function checkCombinators(evaluation: Evaluation, check: KeywordCheck): void {
  const { schema, node, found } = check;
  const evaluate = (inner: unknown): Result => evaluation.evaluate(inner, node);
  const requireMatch = (inner: unknown) => {
    const { problems, evaluated } = evaluate(inner);
    found.addAll(problems);
    evaluation.mergeEvaluated(found, evaluated);
  };
  for (const inner of listOf(schema["allOf"])) requireMatch(inner);
  checkBranches(evaluation, check);
  if (schema["not"] !== undefined && evaluate(schema["not"]).problems.length === 0) {
    found.add(node, "is not accepted (not)");
  }
  if (schema["if"] !== undefined) {
    const { problems, evaluated } = evaluate(schema["if"]);
    if (problems.length === 0) evaluation.mergeEvaluated(found, evaluated);
    const branch = problems.length === 0 ? schema["then"] : schema["else"];
    if (branch !== undefined) requireMatch(branch);
  }
  if (isObject(node.value)) {
    for (const [name, inner] of dependenciesOf(schema)) {
      evaluation.spend(1);
      if (!Array.isArray(inner) && Object.hasOwn(node.value, name)) requireMatch(inner);
    }
  }
  checkUnevaluated(evaluation, check);
}

function checkBranches(evaluation: Evaluation, { schema, node, found }: KeywordCheck): void {
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = listOf(schema[keyword]);
    if (branches.length === 0) continue;
    const results = branches.map((branch) => evaluation.evaluate(branch, node));
    const passing = results.filter(({ problems }) => problems.length === 0);
    for (const { evaluated } of passing) evaluation.mergeEvaluated(found, evaluated);
    if (passing.length === 0) found.addAll(nearestBranch(results));
    else if (keyword === "oneOf" && passing.length > 1) {
      found.add(node, `expected exactly one form of oneOf, matches ${passing.length}`);
    }
  }
}

/** The problems of the branch that the value matches best: the branch whose problems are deepest. In case of a tie, the first problem of each. */
function nearestBranch(results: readonly Result[]): readonly Problem[] {
  const depth = ({ problems }: Result) => Math.min(...problems.map(({ node }) => node.depth));
  const deepest = Math.max(...results.map(depth));
  const nearest = results.filter((result) => depth(result) === deepest);
  const [only] = nearest;
  if (nearest.length === 1 && only !== undefined) return only.problems;
  const [first] = nearest.flatMap(({ problems }) => problems.slice(0, 1));
  if (first === undefined) return [];
  const messages = new Set(nearest.flatMap(({ problems }) => problems.slice(0, 1).map(({ message }) => message)));
  return [{ node: first.node, message: [...messages].slice(0, 5).join(", or ") }];
}

function checkUnevaluated(evaluation: Evaluation, { schema, node, found }: KeywordCheck): void {
  if (!evaluation.document.references.hasUnevaluated) return;
  const isArray = Array.isArray(node.value);
  const inner = schema[isArray ? "unevaluatedItems" : "unevaluatedProperties"];
  if (inner === undefined || !(isArray || isObject(node.value))) return;
  const keys: readonly (string | number)[] = isArray
    ? [...(node.value as readonly unknown[]).keys()]
    : Object.keys(node.value);
  evaluation.spend(keys.length);
  for (const key of keys) {
    if (found.evaluated.has(key)) continue;
    found.addAll(evaluation.evaluateChild(inner, node, key).problems);
    found.evaluated.add(key);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

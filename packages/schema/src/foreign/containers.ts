import { closest } from "../nearest.ts";
import { isObject } from "../is-object.ts";
import type { Evaluation, KeywordCheck, SchemaObject } from "./evaluation.ts";
import { childOf } from "./value-node.ts";
import { clipped, counted, limit } from "./scalars.ts";

const maxSuggestedFrom = 100;
const maxSuggestedCharacters = 64;
/** Steps to compare an unknown field with a known one. */
const stepsPerSuggestion = 5;

export function checkArray(evaluation: Evaluation, check: KeywordCheck): void {
  const { schema, node, found } = check;
  const items = node.value as readonly unknown[];
  checkCount(check, items.length, ["minItems", "maxItems", "item"]);
  if (schema["uniqueItems"] === true) {
    const texts = items.map((item) => evaluation.textOf(item));
    if (new Set(texts).size < texts.length) found.add(node, "expected items that all differ");
  }
  const isTuple = Array.isArray(schema["items"]);
  const first = isTuple ? schema["items"] : schema["prefixItems"];
  const leading: readonly unknown[] = Array.isArray(first) ? first : [];
  const rest = isTuple ? schema["additionalItems"] : schema["items"];
  evaluation.spend(Math.ceil(items.length / 100));
  for (const at of items.keys()) {
    const inner = at < leading.length ? leading[at] : rest;
    if (inner === undefined) continue;
    found.addAll(evaluation.evaluateChild(inner, node, at).problems);
    found.evaluated.add(at);
  }
  checkContains(evaluation, check, items);
}

function checkContains(evaluation: Evaluation, { schema, node, found }: KeywordCheck, items: readonly unknown[]): void {
  if (schema["contains"] === undefined) return;
  let count = 0;
  for (const at of items.keys()) {
    if (evaluation.evaluateChild(schema["contains"], node, at).problems.length > 0) continue;
    count += 1;
    found.evaluated.add(at);
  }
  const [min = 1, max] = [limit(schema, "minContains"), limit(schema, "maxContains")];
  if (count < min) found.add(node, `expected at least ${counted(min, "item")} as contains describes`);
  if (max !== undefined && count > max)
    found.add(node, `expected at most ${counted(max, "item")} as contains describes`);
}

export function checkObject(evaluation: Evaluation, check: KeywordCheck): void {
  const { schema, node, found } = check;
  const keys = Object.keys(node.value as object);
  const properties = objectOf(schema["properties"]);
  checkCount(check, keys.length, ["minProperties", "maxProperties", "property"]);
  const requireAll = (names: unknown) => {
    if (!Array.isArray(names)) return;
    evaluation.spend(names.length);
    checkRequired(check, names, properties);
  };
  requireAll(schema["required"]);
  for (const [name, dependents] of dependenciesOf(schema)) {
    evaluation.spend(1);
    if (Object.hasOwn(node.value as object, name)) requireAll(dependents);
  }
  const patterns = Object.entries(objectOf(schema["patternProperties"]));
  const additional = schema["additionalProperties"];
  for (const key of keys) {
    evaluation.spend(1);
    if (schema["propertyNames"] !== undefined) {
      for (const { message } of evaluation.evaluateName(schema["propertyNames"], key).problems) {
        found.add(node, `field name ${JSON.stringify(key.slice(0, maxSuggestedCharacters))}: ${message}`);
      }
    }
    const isNamed = Object.hasOwn(properties, key);
    const matching = patterns.filter(([pattern]) => evaluation.matches(pattern, key));
    const inner = [...(isNamed ? [properties[key]] : []), ...matching.map(([, one]) => one)];
    if (inner.length === 0 && additional === false) {
      if (!found.isFull) found.add(node, unknownField(evaluation, key, Object.keys(properties)));
      continue;
    }
    if (inner.length === 0 && additional !== undefined) inner.push(additional);
    for (const one of inner) found.addAll(evaluation.evaluateChild(one, node, key).problems);
    if (inner.length > 0) found.evaluated.add(key);
  }
}

/** Dependencies of properties. Drafts up to 7 have one keyword for them, later drafts two. */
export function dependenciesOf(schema: SchemaObject): readonly (readonly [name: string, dependents: unknown])[] {
  const all = [schema["dependencies"], schema["dependentRequired"], schema["dependentSchemas"]];
  return all.flatMap((one) => Object.entries(objectOf(one)));
}

function checkRequired({ node, found }: KeywordCheck, required: readonly unknown[], properties: SchemaObject): void {
  for (const name of required) {
    if (typeof name !== "string" || Object.hasOwn(node.value as object, name)) continue;
    const { type } = objectOf(Object.hasOwn(properties, name) ? properties[name] : undefined);
    const expected = typeof type === "string" ? `, expected ${clipped(type)}` : "";
    found.add(childOf(node, name), `required${expected}`);
  }
}

function checkCount(
  { schema, node, found }: KeywordCheck,
  count: number,
  [min, max, noun]: readonly [min: string, max: string, noun: string],
): void {
  const [minCount, maxCount] = [limit(schema, min), limit(schema, max)];
  if (minCount !== undefined && count < minCount) found.add(node, `expected at least ${counted(minCount, noun)}`);
  if (maxCount !== undefined && count > maxCount) found.add(node, `expected at most ${counted(maxCount, noun)}`);
}

function unknownField(evaluation: Evaluation, key: string, known: readonly string[]): string {
  evaluation.spend(known.length);
  const candidates = known.filter((name) => name.length <= maxSuggestedCharacters).slice(0, maxSuggestedFrom);
  evaluation.spend(candidates.length * stepsPerSuggestion);
  const near = closest(key, candidates);
  const shown = JSON.stringify(key.slice(0, maxSuggestedCharacters));
  return `unknown field ${shown}${near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`}`;
}

function objectOf(value: unknown): SchemaObject {
  return isObject(value) ? value : {};
}

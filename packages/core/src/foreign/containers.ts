import { closest } from "../nearest.ts";
import { isObject } from "../is-object.ts";
import type { Evaluation, KeywordCheck, SchemaObject } from "./evaluation.ts";
import { childOf, rootNode } from "./value-node.ts";
import { canonicalText, counted, limit } from "./scalars.ts";

const maxSuggestedFrom = 100;
const maxSuggestedCharacters = 64;

export function checkArray(evaluation: Evaluation, check: KeywordCheck): void {
  const { schema, node, found } = check;
  const items = node.value as readonly unknown[];
  checkCount(check, items.length, ["minItems", "maxItems", "item"]);
  if (schema["uniqueItems"] === true) {
    const texts = items.map(canonicalText);
    evaluation.spend(texts.reduce((sum, text) => sum + 1 + Math.ceil(text.length / 100), 0));
    if (new Set(texts).size < texts.length) found.add(node, "expected items that all differ");
  }
  const isTuple = Array.isArray(schema["items"]);
  const first = isTuple ? schema["items"] : schema["prefixItems"];
  const leading: readonly unknown[] = Array.isArray(first) ? first : [];
  const rest = isTuple ? schema["additionalItems"] : schema["items"];
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
  checkRequired(check, schema["required"], properties);
  for (const [name, dependents] of dependenciesOf(schema)) {
    if (Array.isArray(dependents) && Object.hasOwn(node.value as object, name))
      checkRequired(check, dependents, properties);
  }
  const patterns = Object.entries(objectOf(schema["patternProperties"]));
  const additional = schema["additionalProperties"];
  for (const key of keys) {
    evaluation.spend(1);
    if (schema["propertyNames"] !== undefined) {
      for (const { message } of evaluation.evaluate(schema["propertyNames"], rootNode(key)).problems) {
        found.add(node, `field name ${JSON.stringify(key.slice(0, maxSuggestedCharacters))}: ${message}`);
      }
    }
    const isNamed = Object.hasOwn(properties, key);
    const matching = patterns.filter(([pattern]) => evaluation.matches(pattern, key));
    const inner = [...(isNamed ? [properties[key]] : []), ...matching.map(([, one]) => one)];
    if (inner.length === 0 && additional === false) {
      found.add(node, unknownField(key, Object.keys(properties)));
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

function checkRequired({ node, found }: KeywordCheck, required: unknown, properties: SchemaObject): void {
  if (!Array.isArray(required)) return;
  for (const name of required) {
    if (typeof name !== "string" || Object.hasOwn(node.value as object, name)) continue;
    const { type } = objectOf(Object.hasOwn(properties, name) ? properties[name] : undefined);
    const expected = typeof type === "string" ? `, expected ${type}` : "";
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

function unknownField(key: string, known: readonly string[]): string {
  const candidates = known.filter((name) => name.length <= maxSuggestedCharacters).slice(0, maxSuggestedFrom);
  const near = closest(key, candidates);
  const shown = JSON.stringify(key.slice(0, maxSuggestedCharacters));
  return `unknown field ${shown}${near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`}`;
}

function objectOf(value: unknown): SchemaObject {
  return isObject(value) ? value : {};
}

import { isObject, ToolError, type Filter, type Scalar } from "@toolpacks/core";
import type { PlanField, Predicate } from "./driver.ts";
import { isArrayType, type CompiledKind } from "./kind-layout.ts";
import { planField } from "./plan-field.ts";

const maxConditions = 200;
const maxDepth = 8;
const maxValues = 1_000;
/** Maximum number of values of all lists together. A SQL statement allows about three times as many. */
const maxTotalValues = 10_000;

interface FilterContext {
  readonly kind: CompiledKind;
  conditions: number;
  values: number;
}

/** @throws ToolError `invalid_input` naming the condition and what would be accepted */
export function checkFilter(kind: CompiledKind, filter: Filter): Predicate {
  return checkGroup({ kind, conditions: 0, values: 0 }, filter, "filter");
}

function checkGroup(context: FilterContext, filter: unknown, at: string): Predicate {
  if (!isObject(filter)) throw unexpected(at, "an object of conditions", filter);
  if (at.split(".").length > maxDepth) throw new ToolError("invalid_input", `${at}: nested more than ${maxDepth} deep`);
  const of = Object.entries(filter).flatMap(([key, value]) =>
    value === undefined ? [] : [checkEntry(context, [key, value], at)],
  );
  return { op: "and", of };
}

function checkEntry(context: FilterContext, [key, value]: readonly [string, unknown], at: string): Predicate {
  if (++context.conditions > maxConditions) {
    throw new ToolError("invalid_input", `filter: more than ${maxConditions} conditions`);
  }
  if (key === "not") return { op: "not", of: checkGroup(context, value, `${at}.not`) };
  if (key !== "and" && key !== "or")
    return condition(context, { field: planField(context.kind, key, at), at: `${at}.${key}` }, value);
  if (!Array.isArray(value)) throw unexpected(`${at}.${key}`, "an array of filters", value);
  return { op: key, of: value.map((filter) => checkGroup(context, filter, `${at}.${key}`)) };
}

const operators = "a value, null, or one of {gt, gte, lt, lte}, {in}, {contains}, {exists}";

/** The field of a condition, and the path of the condition in the filter. */
interface ConditionPlace {
  readonly field: PlanField;
  readonly at: string;
}

function condition(context: FilterContext, { field, at }: ConditionPlace, value: unknown): Predicate {
  if (value === null) return { op: "not", of: { op: "exists", field } };
  if (!isObject(value)) return { op: "eq", field, value: scalar(field, value, at) };
  const entries = Object.entries(value).filter(([, operand]) => operand !== undefined);
  if (entries.length === 0) throw unexpected(at, operators, value);
  const of = entries.map(([operator, operand]) => operation(context, { field, at }, [operator, operand]));
  return of.length === 1 && of[0] !== undefined ? of[0] : { op: "and", of };
}

function operation(
  context: FilterContext,
  { field, at }: ConditionPlace,
  [operator, operand]: readonly [string, unknown],
): Predicate {
  switch (operator) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (field.type === "boolean")
        throw new ToolError("invalid_input", `${at}.${operator}: ${field.path} is a boolean`);
      return { op: operator, field, value: scalar(field, operand, `${at}.${operator}`) };
    case "in": {
      if (!Array.isArray(operand) || operand.length > maxValues) {
        throw unexpected(`${at}.in`, `an array of at most ${maxValues} values`, operand);
      }
      context.values += operand.length;
      if (context.values > maxTotalValues) {
        throw new ToolError("invalid_input", `${at}.in: more than ${maxTotalValues} values in all lists together`);
      }
      return { op: "in", field, values: operand.map((value) => scalar(field, value, `${at}.in`)) };
    }
    case "contains":
      return contains(field, operand, `${at}.contains`);
    case "exists": {
      if (typeof operand !== "boolean") throw unexpected(`${at}.exists`, "true or false", operand);
      return operand ? { op: "exists", field } : { op: "not", of: { op: "exists", field } };
    }
    default:
      throw unexpected(at, operators, { [operator]: operand });
  }
}

function contains(field: PlanField, operand: unknown, at: string): Predicate {
  if (field.type !== "strings" && field.type !== "numbers") {
    throw new ToolError(
      "invalid_input",
      `${at}: ${field.path} is not an array`,
      "Compare it with a value, a range or {in}.",
    );
  }
  const type = field.type === "strings" ? "string" : "number";
  if (typeof operand !== type || !storable(operand)) throw unexpected(at, `a ${type}`, operand);
  return { op: "contains", field: { path: field.path, type: field.type }, value: operand as string | number };
}

function scalar(field: PlanField, value: unknown, at: string): Scalar {
  if (isArrayType(field.type)) {
    throw new ToolError("invalid_input", `${at}: ${field.path} is an array`, "Ask with {contains} or {exists}.");
  }
  const type = field.type === "key" ? (field.path === "id" ? "string" : "number") : field.type;
  if (typeof value !== type || !storable(value)) throw unexpected(at, `a ${type}`, value);
  if (field.path === "generation" && field.type === "key" && !Number.isSafeInteger(value)) {
    throw unexpected(at, "a whole number", value);
  }
  return value as Scalar;
}

function storable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "string" || (value.isWellFormed() && !value.includes("\0"));
}

function unexpected(at: string, expected: string, received: unknown): ToolError {
  const shown = JSON.stringify(received) ?? "nothing";
  return new ToolError(
    "invalid_input",
    `${at}: expected ${expected}, received ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`,
  );
}

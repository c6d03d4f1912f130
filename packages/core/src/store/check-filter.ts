import { isObject } from "../is-object.ts";
import { ToolError } from "../tool-error.ts";
import type { PlanField, Predicate } from "./driver.ts";
import { isArrayType, type PreparedKind } from "./kind-layout.ts";
import { planField } from "./plan-field.ts";
import type { Filter, Scalar } from "./query.ts";

const maxConditions = 200;
const deepest = 8;
const maxValues = 1_000;
/** Of all lists together: a statement has room for about three times as many. */
const maxValuesInAll = 10_000;

interface Walk {
  readonly kind: PreparedKind;
  conditions: number;
  values: number;
}

/** @throws ToolError `invalid_input` naming the condition and what would be accepted */
export function checkFilter(kind: PreparedKind, filter: Filter): Predicate {
  return all({ kind, conditions: 0, values: 0 }, filter, "filter");
}

function all(walk: Walk, filter: unknown, at: string): Predicate {
  if (!isObject(filter)) throw wrong(at, "an object of conditions", filter);
  if (at.split(".").length > deepest) throw new ToolError("invalid_input", `${at}: nested more than ${deepest} deep`);
  const of = Object.entries(filter).flatMap(([key, value]) =>
    value === undefined ? [] : [one(walk, [key, value], at)],
  );
  return { op: "and", of };
}

function one(walk: Walk, [key, value]: readonly [string, unknown], at: string): Predicate {
  if (++walk.conditions > maxConditions) {
    throw new ToolError("invalid_input", `filter: more than ${maxConditions} conditions`);
  }
  if (key === "not") return { op: "not", of: all(walk, value, `${at}.not`) };
  if (key !== "and" && key !== "or")
    return condition(walk, { field: planField(walk.kind, key, at), at: `${at}.${key}` }, value);
  if (!Array.isArray(value)) throw wrong(`${at}.${key}`, "an array of filters", value);
  return { op: key, of: value.map((filter) => all(walk, filter, `${at}.${key}`)) };
}

const operators = "a value, null, or one of {gt, gte, lt, lte}, {in}, {contains}, {exists}";

/** A field that a condition is about, and where in the filter. */
interface About {
  readonly field: PlanField;
  readonly at: string;
}

function condition(walk: Walk, { field, at }: About, value: unknown): Predicate {
  if (value === null) return { op: "not", of: { op: "exists", field } };
  if (!isObject(value)) return { op: "eq", field, value: scalar(field, value, at) };
  const entries = Object.entries(value).filter(([, operand]) => operand !== undefined);
  if (entries.length === 0) throw wrong(at, operators, value);
  const of = entries.map(([operator, operand]) => operation(walk, { field, at }, [operator, operand]));
  return of.length === 1 && of[0] !== undefined ? of[0] : { op: "and", of };
}

function operation(walk: Walk, { field, at }: About, [operator, operand]: readonly [string, unknown]): Predicate {
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
        throw wrong(`${at}.in`, `an array of at most ${maxValues} values`, operand);
      }
      walk.values += operand.length;
      if (walk.values > maxValuesInAll) {
        throw new ToolError("invalid_input", `${at}.in: more than ${maxValuesInAll} values in all lists together`);
      }
      return { op: "in", field, values: operand.map((value) => scalar(field, value, `${at}.in`)) };
    }
    case "contains":
      return contains(field, operand, `${at}.contains`);
    case "exists": {
      if (typeof operand !== "boolean") throw wrong(`${at}.exists`, "true or false", operand);
      return operand ? { op: "exists", field } : { op: "not", of: { op: "exists", field } };
    }
    default:
      throw wrong(at, operators, { [operator]: operand });
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
  if (typeof operand !== type || !storable(operand)) throw wrong(at, `a ${type}`, operand);
  return { op: "contains", field: { path: field.path, type: field.type }, value: operand as string | number };
}

function scalar(field: PlanField, value: unknown, at: string): Scalar {
  if (isArrayType(field.type)) {
    throw new ToolError("invalid_input", `${at}: ${field.path} is an array`, "Ask with {contains} or {exists}.");
  }
  const type = field.type === "key" ? (field.path === "id" ? "string" : "number") : field.type;
  if (typeof value !== type || !storable(value)) throw wrong(at, `a ${type}`, value);
  if (field.path === "generation" && field.type === "key" && !Number.isSafeInteger(value)) {
    throw wrong(at, "a whole number", value);
  }
  return value as Scalar;
}

function storable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "string" || (value.isWellFormed() && !value.includes("\0"));
}

function wrong(at: string, expected: string, received: unknown): ToolError {
  const shown = JSON.stringify(received) ?? "nothing";
  return new ToolError(
    "invalid_input",
    `${at}: expected ${expected}, received ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`,
  );
}

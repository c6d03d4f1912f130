import { isObject, type Call, type Outcome, type Success } from "@toolpacks/core";
import { mayBeOver } from "../box/thresholds.ts";

/** Minimum size of a result whose rows are cut, in tokens. */
export const minRowTokens = 800;

/** The fields that a call wants of each row: those beside its arguments, or the argument `fields` of a tool that only reads and has this parameter. */
export function namedFields({ tool, args, context }: Call): readonly string[] | undefined {
  if (isNames(context.fields)) return context.fields;
  const named = isObject(args) ? args["fields"] : undefined;
  return !tool.mutates && isNames(named) && takesFields(tool.input.json()) ? named : undefined;
}

/** Maximum fields that a call may name. */
const maxFields = 100;

function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxFields &&
    value.every((name) => typeof name === "string")
  );
}

function takesFields({ properties }: Readonly<Record<string, unknown>>): boolean {
  const field = isObject(properties) ? properties["fields"] : undefined;
  const items = isObject(field) && field["type"] === "array" ? field["items"] : undefined;
  return isObject(items) && items["type"] === "string";
}

/** A cheap check of an outcome. False when its rows are certainly shown as they are. */
export function canHaveRows(outcome: Outcome, { context }: Call, fields: readonly string[] | undefined): boolean {
  if (!outcome.ok) return false;
  if (context.fields !== undefined) return true;
  const text = jsonBlock(outcome);
  return text !== undefined && (fields !== undefined || mayBeOver(text.length, minRowTokens));
}

/** The text of a result that is a single block and may be JSON, as other servers send it. Own tools render a text without blocks. */
export function jsonBlock({ blocks = [] }: Success): string | undefined {
  const [only, ...others] = blocks;
  if (only?.type !== "text" || others.length > 0) return undefined;
  return /^\s*[[{]/.test(only.text.slice(0, 100)) ? only.text : undefined;
}

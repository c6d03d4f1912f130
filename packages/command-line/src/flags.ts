import { InvalidArgumentError, Option } from "commander";

/** A flag whose value is parsed. The parser also receives the value of an earlier flag of the same name. */
export function flag<Value>(form: string, help: string, parse: (text: string, before?: Value) => Value): Option {
  return new Option(form, help).argParser<Value>(parse);
}

/** The name of the environment variable that a flag overrides, for its help. */
export function variableOf(option: Option): string | undefined {
  return "variable" in option && typeof option.variable === "string" ? option.variable : undefined;
}

/** Names the environment variable that a flag overrides, for its help. The command reads the variable. */
export function withVariable(option: Option, variable: string): Option {
  return Object.assign(option, { variable });
}

/** Reads a whole number from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("expected a whole number from 1");
  return count;
}

/** Collects the values of a repeated flag. */
export function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one];
}

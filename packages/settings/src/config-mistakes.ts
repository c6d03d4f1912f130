import { describeIssues, type Schema } from "@toolpacks/core";
import type { z } from "zod";
import { keyLocator } from "./positions/locate-key.ts";
import { placeIn } from "./positions/place-in.ts";

type Issue = z.core.$ZodIssue;

/** A mistake that a schema finds in a value. */
export interface Mistake {
  readonly at: readonly PropertyKey[];
  readonly message: string;
}

/** The text of a config file, and the schema of its value. */
interface CheckedText {
  readonly path: string;
  readonly text: string;
  readonly schema: z.core.$ZodType;
}

/** Describes every mistake in a config file, each with its line and column, in the order of the file. */
export async function locateMistakes(
  { path: file, text, schema }: CheckedText,
  issues: readonly Issue[],
): Promise<readonly string[]> {
  const locate = await keyLocator(file, text);
  return describeMistakes(issues, schema)
    .map(({ at, message }) => ({ message, offset: locate(at) }))
    .toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0))
    .map(({ message, offset }) => `${file}${placeIn(text, offset)}: ${message}`);
}

/** Describes every mistake in a value: each unknown field on its own, and of an unknown field with a suggestion not the list of all fields. */
export function describeMistakes(issues: readonly Issue[], schema: z.core.$ZodType): readonly Mistake[] {
  return issues.flatMap(singleIssues).map((issue) => ({
    at: placeOf(issue),
    message: describeIssues([issue], schema as Schema).replace(/(did you mean [^ ]+\?) \(accepted: .*\)$/, "$1"),
  }));
}

/** Splits an issue of several keys. Of a union, the issues of the only branch that the value is meant for. */
function singleIssues(issue: Issue): readonly Issue[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => ({ ...issue, keys: [key] }));
  if (issue.code !== "invalid_union") return [issue];
  const near = issue.errors.filter((errors) =>
    errors.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  const [only, ...others] = near;
  if (only === undefined || others.length > 0) return [issue];
  return only.flatMap((inner) => singleIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function placeOf(issue: Issue): readonly PropertyKey[] {
  return issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys] : issue.path;
}

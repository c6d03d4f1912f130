import { describeIssues, type Schema } from "@toolpacks/core";
import type { z } from "zod";
import { configSchema } from "./config-schema.ts";
import { modelFields } from "./model-fields.ts";
import { readKeyPositions, type Position } from "./positions/key-positions.ts";

type Issue = z.core.$ZodIssue;

const schema = configSchema.extend(modelFields);

/** Describes every mistake that the schema finds in a config file, each with its line and column, in the order of the file. */
export async function describeMistakes(
  file: string,
  text: string,
  issues: readonly Issue[],
): Promise<readonly string[]> {
  const positions = await readKeyPositions(file, text);
  const single = issues.flatMap(singleIssues);
  // A field that was renamed is unknown as well.
  const explained = new Set(single.filter(({ code }) => code === "custom").map((issue) => placeOf(issue).join("\n")));
  return single
    .filter((issue) => issue.code !== "unrecognized_keys" || !explained.has(placeOf(issue).join("\n")))
    .map((issue) => ({ message: describeMistake(issue, schema), position: positions.find(placeOf(issue)) }))
    .toSorted(byPosition)
    .map(({ message, position }) => `${file}${renderPosition(position)}: ${message}`);
}

/** Describes one mistake. Of an unknown field with a suggestion, the long list of all fields is left out. */
export function describeMistake(issue: Issue, of: Schema): string {
  return describeIssues([issue], of).replace(/(did you mean [^ ]+\?) \(accepted: .*\)$/, "$1");
}

/** `:3:5`, or nothing for an unknown position. */
export function renderPosition(position: Position | undefined): string {
  return position === undefined ? "" : `:${position.line}:${position.column}`;
}

function byPosition(one: { position?: Position | undefined }, other: { position?: Position | undefined }): number {
  const [a, b] = [one.position, other.position];
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** Splits an issue of several keys. Of a union, the issues of the only branch that the value is meant for. */
export function singleIssues(issue: Issue): readonly Issue[] {
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

import type { z } from "zod";
import type { Schema } from "./object-schema.ts";
import { clip } from "./quote-name.ts";
import { fieldsAt, unknownField } from "./unknown-field.ts";

type Issue = z.core.$ZodIssue;

const maxReported = 5;
const maxProblemLength = 300;

/**
 * Renders zod issues as one line for a model. Each problem names the field by its path and says what is expected. At most five problems are named;
 * the others are counted.
 *
 * @param known the schema or the field names at its root, used for suggestions for unknown keys
 */
export function describeIssues(issues: readonly Issue[], known: Known): string {
  const shown = issues.slice(0, maxReported).map((issue) => describeIssue(issue, known));
  const more = issues.length > maxReported ? [`and ${issues.length - maxReported} more`] : [];
  return [...shown, ...more].join("; ");
}

type Known = Schema | readonly string[];

function describeIssue(issue: Issue, known: Known): string {
  if (issue.code === "unrecognized_keys") return clip(unknownKeys(issue, known), maxProblemLength);
  const field = fieldPath(issue.path);
  return clip(`${field === "" ? "args" : field}: ${problem(issue, known)}`, maxProblemLength);
}

/** @param base the path of the value that the issue's path is relative to */
function unknownKeys(
  { keys, path }: Extract<Issue, { code: "unrecognized_keys" }>,
  known: Known,
  base: readonly PropertyKey[] = [],
): string {
  const parent = [...base, ...path];
  const fields = "_zod" in known ? fieldsAt(known, parent) : parent.length === 0 ? [known] : [];
  return keys
    .slice(0, maxReported)
    .map((key) => `${fieldPath([...path, key])}: ${unknownField(key, fields)}`)
    .join("; ");
}

/** Rewords the default messages of zod, and keeps the messages that the schema's author wrote. */
function problem(issue: Issue, known: Known, base: readonly PropertyKey[] = []): string {
  if (issue.code === "invalid_union") return describeUnion(issue, known, [...base, ...issue.path]);
  if (!/^(Invalid|Too (small|big):)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "too_small":
      return `expected ${issue.inclusive === false ? "more than" : "at least"} ${amount(issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive === false ? "less than" : "at most"} ${amount(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return `expected ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(stringify).join(", ")}`;
    case "invalid_type":
      if (issue.message.endsWith("received undefined")) return `required, expected ${typeName(issue.expected)}`;
      return issue.message.replace(/^Invalid input: /, "").replace("expected record", "expected object");
    default:
      return issue.message.replace(/^Invalid (?:input: )?(?=ISO|[a-z])/, "expected ");
  }
}

/** The JSON name of a zod type. */
function typeName(expected: string): string {
  return expected === "record" ? "object" : expected;
}

const units: Readonly<Record<string, string>> = { string: "character", array: "item", set: "item", map: "entry" };

function amount(count: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return String(count);
  return `${count} ${unit}${Number(count) === 1 ? "" : "s"}`;
}

function stringify(value: unknown): string {
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : JSON.stringify(value);
}

/** Describes what the branches of a union expect. If the value has only wrong fields in some branches, only these are described. */
function describeUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  known: Known,
  base: readonly PropertyKey[],
): string {
  if (issue.errors.length === 0) {
    const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
    return options.length === 0 ? issue.message : `expected one of ${options.map(stringify).join(", ")}`;
  }
  const nearBranches = issue.errors.filter((errors) =>
    errors.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  const branches = (nearBranches.length > 0 ? nearBranches : issue.errors).flatMap((errors) =>
    errors.slice(0, 1).map((inner) => {
      if (inner.code === "unrecognized_keys") return unknownKeys(inner, known, base);
      const field = fieldPath(inner.path);
      const message = problem(inner, known, base);
      return field === "" ? message : `${field}: ${message}`;
    }),
  );
  return [...new Set(branches)].join(", or ");
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

import type { z } from "zod";
import { closest } from "./nearest.ts";

type Issue = z.core.$ZodIssue;

const mostReported = 5;
const longestProblem = 300;

/**
 * Renders zod's issues as one line for a model: each wrong field by its path, what is wrong, and what would be
 * accepted. At most five are named; the rest are counted.
 *
 * @param known the field names at the root, to suggest from when a key is unknown
 */
export function describeIssues(issues: readonly Issue[], known: readonly string[]): string {
  const shown = issues.slice(0, mostReported).map((issue) => describeIssue(issue, known));
  const more = issues.length > mostReported ? [`and ${issues.length - mostReported} more`] : [];
  return [...shown, ...more].join("; ");
}

function describeIssue(issue: Issue, known: readonly string[]): string {
  const field = fieldPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    return clip(
      issue.keys
        .slice(0, mostReported)
        .map((key) => unknownKey(field, key, known))
        .join("; "),
    );
  }
  return clip(`${field === "" ? "args" : field}: ${problem(issue)}`);
}

function unknownKey(parent: string, key: string, known: readonly string[]): string {
  const field = parent === "" ? key : `${parent}.${key}`;
  if (parent !== "") return `${field}: unknown field`;
  const near = closest(key, known);
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  return `${field}: unknown field${suggestion} (accepted: ${known.join(", ") || "none"})`;
}

/** Rewords zod's own sentences, which speak of types, and leaves those that a schema's author wrote. */
function problem(issue: Issue): string {
  if (issue.code === "invalid_union") return describeUnion(issue);
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

/** What JSON calls it. */
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

/** What each form would take. A form that the value nearly has, wrong only in a field of it, is the one that was meant. */
function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): string {
  if (issue.errors.length === 0) {
    const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
    return options.length === 0 ? issue.message : `expected one of ${options.map(stringify).join(", ")}`;
  }
  const inside = issue.errors.filter((errors) => errors.every(({ path }) => path.length > 0));
  const branches = (inside.length > 0 ? inside : issue.errors).flatMap((errors) =>
    errors.slice(0, 1).map((inner) => {
      const field = fieldPath(inner.path);
      return field === "" ? problem(inner) : `${field}: ${problem(inner)}`;
    }),
  );
  return [...new Set(branches)].join(", or ");
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function clip(text: string): string {
  return text.length <= longestProblem ? text : `${text.slice(0, longestProblem)}…`;
}

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

function problem(issue: Issue): string {
  if (issue.code === "invalid_union") return describeUnion(issue);
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
    return `required, expected ${issue.expected}`;
  }
  return issue.message.replace(/^Invalid input: /, "");
}

function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const branches = issue.errors.flatMap((errors) => errors.slice(0, 1).map((inner) => problem(inner)));
  return branches.length === 0 ? issue.message : [...new Set(branches)].join(", or ");
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function clip(text: string): string {
  return text.length <= longestProblem ? text : `${text.slice(0, longestProblem)}…`;
}

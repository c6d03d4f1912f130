import { describeIssues, errorText, isObject, measure } from "@toolpacks/core";
import { holdsUnstorableText, isRecordId, maxIdLength } from "@toolpacks/store";
import { dependsOn, issueSchema, type Issue } from "../issue-record.ts";

/** A parsed line of beads' JSONL. */
export interface ReadIssue {
  readonly id: string;
  readonly issue: Issue;
  /** Fields that a record cannot contain: `null` values, and names that the store or the tracker reserves. */
  readonly found: Readonly<Record<string, unknown>>;
  /** Fields that are missing in the line, and are set to their defaults. */
  readonly absent: readonly string[];
}

/** A valid line of an import. */
export interface Line extends ReadIssue {
  readonly line: number;
  /** `created_at` in UTC. */
  readonly created: string;
}

/** A rejected line of an import. */
export interface BadLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly problem: string;
}

const defaults = { status: "open", priority: 2, issue_type: "task" } as const;
const known = ["id", ...Object.keys(issueSchema().shape)];
const reservedNames = new Set(["graph", "generation", "closed", "workspace"]);

/** Limits of the store. */
const maxDepth = 150;
const maxCharacters = 16 * 1024 * 1024;

/** @returns the issue, or the problem as a text */
export function readIssueLine(line: string): ReadIssue | string {
  if (line.length > maxCharacters) return `expected at most ${maxCharacters} characters, received ${line.length}`;
  const parsed = parseExactly(line);
  if (typeof parsed === "string") return parsed;
  const { id, ...fields } = parsed;
  if (typeof id !== "string" || !isRecordId(id))
    return `id: expected 1 to ${maxIdLength} characters, none of them a control character`;
  if (measure(fields, { maxDepth }).exceeded !== undefined)
    return `expected objects and arrays at most ${maxDepth} deep`;
  const isApart = (name: string, value: unknown) => value === null || reservedNames.has(name);
  const apart = Object.entries(fields).filter(([name, value]) => isApart(name, value));
  const record = Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isApart(name, value)));
  const checked = issueSchema().safeParse(record);
  if (!checked.success) return describeIssues(checked.error.issues, known);
  if (holdsUnstorableText(JSON.stringify(record)))
    return "it holds U+0000 or half a surrogate pair, which cannot be stored as text";
  const issue = checked.data;
  const problem = dependencyProblem(id, issue);
  if (problem !== undefined) return problem;
  const absent = Object.keys(defaults).filter((name) => !Object.hasOwn(record, name));
  return { id, issue, found: Object.fromEntries(apart), absent };
}

/** Serializes an issue as a line of beads' JSONL: its original fields, without the derived ones. */
export function issueLine(id: string, { graph, ...issue }: Issue): string {
  const { found = {}, absent = [] } = graph ?? {};
  const isDefault = (name: string, value: unknown) =>
    absent.includes(name) && Object.hasOwn(defaults, name) && defaults[name as keyof typeof defaults] === value;
  const kept = Object.entries(issue).filter(([name, value]) => !isDefault(name, value));
  const restored = Object.entries(found).filter(([name]) => !Object.hasOwn(issue, name));
  return JSON.stringify({ id, ...Object.fromEntries(kept), ...Object.fromEntries(restored) });
}

function dependencyProblem(id: string, issue: Issue): string | undefined {
  const { dependencies = [] } = issue;
  if (dependsOn(issue).includes(id)) return `dependencies: ${id} cannot depend on itself`;
  const keys = dependencies.map(({ depends_on_id: on, type }) => `${type} ${on}`);
  const seen = new Set<string>();
  const twice = keys.find((key) => seen.size === seen.add(key).size);
  return twice === undefined ? undefined : `dependencies: ${twice} is given twice`;
}

/** Matches long numbers, which may lose digits in JavaScript. */
const longNumber = /\d[\d.eE+-]{15,}/;

function parseExactly(line: string): Readonly<Record<string, unknown>> | string {
  let inexact: string | undefined;
  const look = (name: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === "number" && !isExact(value, context?.source)) inexact ??= `${name}: ${context?.source}`;
    return value;
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(line, ...(longNumber.test(line) ? [look] : [])) as unknown;
  } catch (error) {
    return `expected JSON (${errorText(error)})`;
  }
  if (inexact !== undefined) return `${inexact} cannot be kept with all its digits`;
  if (isObject(parsed)) return parsed;
  return "expected an object";
}

function isExact(value: number, source = String(value)): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) || BigInt(source) === BigInt(value);
  return source.replaceAll(/\D/g, "").length <= 17;
}

import {
  closest,
  describeIssues,
  detail,
  isObject,
  listed,
  ToolError,
  type Condition,
  type Filter,
} from "@toolpacks/core";
import { z } from "zod";
import { statuses, tombstone } from "./issue-record.ts";

const maxValues = 50;
const maxPriority = 4;

/** Conditions whose types are left out of tool lists, because they cost tokens in every conversation. */
const brief = (description: string) => ({ ...detail(description), ...listed({}) });

/** A text, or a list of texts. */
function texts(expected: string) {
  const text = z.string({ error: expected }).max(200);
  return z.union([text, z.array(text, { error: expected }).min(1).max(maxValues)]);
}

/** Named values, and other texts, or a list of them. */
function textsWith<const Value extends string>(named: readonly Value[], expected: string) {
  return z.union([z.enum(named, { error: expected }), texts(expected)]);
}

const countExpected = "expected a number, or a range such as {gte: 1}";

const range = z.strictObject(
  { gte: z.int().optional().meta(detail("at least")), lte: z.int().optional().meta(detail("at most")) },
  { error: ({ code }) => (code === "unrecognized_keys" ? undefined : countExpected) },
);

const number = z.int({ error: countExpected });

/** Accepts `gt` and `lt` in a range of integers. */
function closeRange(wanted: unknown): unknown {
  if (!isObject(wanted)) return wanted;
  const { gt, lt, ...others } = wanted;
  return {
    ...others,
    ...(gt !== undefined && (Number.isInteger(gt) ? { gte: Number(gt) + 1 } : { gt })),
    ...(lt !== undefined && (Number.isInteger(lt) ? { lte: Number(lt) - 1 } : { lt })),
  };
}

/** Replaces a range of priorities by the priorities in it. */
function listPriorities(wanted: unknown): unknown {
  const checked = range.safeParse(closeRange(wanted));
  if (!checked.success) return wanted;
  const { gte = 0, lte = maxPriority } = checked.data;
  return Array.from({ length: maxPriority + 1 }, (_, priority) => priority).filter((one) => one >= gte && one <= lte);
}

function priorities() {
  const error = "expected 0 to 4, several as a list, or a range such as {lte: 1}";
  const one = z.int({ error }).min(0, { error }).max(maxPriority, { error });
  const several = z.array(one, { error }).min(1, { error }).max(maxValues);
  return z.preprocess(listPriorities, z.union([one, several]));
}

/** Accepts `type` for the field `issue_type`. */
export function renameType(fields: unknown): unknown {
  if (!isObject(fields) || !("type" in fields) || "issue_type" in fields) return fields;
  const { type, ...others } = fields;
  return { ...others, issue_type: type };
}

const assigneeExpected = 'expected a name, "unassigned" or "any", or several as a list';

/** The conditions of `where`. All must hold. Of a list, one value must match. */
const conditions = z.strictObject({
  status: textsWith([...statuses, "all"], "expected a status, or several as a list")
    .optional()
    .meta(brief("default: all but closed; imports may have others")),
  issue_type: texts("expected a type, or several as a list")
    .optional()
    .meta(brief("bug, feature, task, epic, chore, or another")),
  priority: priorities().optional().meta(brief("0 to 4")),
  assignee: z
    .union([textsWith(["unassigned", "any"], assigneeExpected), z.null({ error: assigneeExpected })])
    .optional()
    .meta(brief("null: unassigned")),
  label: texts("expected a label, or several as a list").optional().meta(brief("a label that it has")),
  parent: texts("expected an id, or several as a list").optional().meta(brief("the id of its epic")),
  on: texts("expected an id, or several as a list").optional().meta(brief("the id of an issue that it depends on")),
  // The range is first, because signatures explain a field whose type begins with an object. One of two alike is enough.
  blockers: z
    .preprocess(closeRange, z.union([range, number]))
    .optional()
    .meta(brief("how many, or {gte: 1}")),
  blocks: z
    .preprocess(closeRange, z.union([number, range]))
    .optional()
    .meta(brief("how many, or {gte: 1}")),
  text: z.string().max(1_000).optional().meta(detail("words of its texts, else the nearest")),
});

export type Conditions = z.output<typeof conditions>;

const where = z.preprocess(renameType, conditions);
const request = z.object({ where });

/** The input field `where` of `issue_list` and `issue_ready`. */
export const whereField = where.optional().meta(detail("all must hold"));

/** The input field `where` of other tools, whose signatures are short. `readConditions` checks it. */
export const briefWhereField = z
  .record(z.string().max(200), z.unknown())
  .optional()
  .meta(detail(`as in issue_list: ${Object.keys(conditions.shape).join(", ")}`));

/** @throws ToolError `invalid_input` naming the condition */
export function readConditions(wanted: Readonly<Record<string, unknown>> = {}): Conditions {
  const checked = request.safeParse({ where: wanted });
  if (checked.success) return checked.data.where;
  throw new ToolError("invalid_input", describeIssues(checked.error.issues, request));
}

/** Matches issues without an assignee. Imported files have both forms. */
export const unassigned: Filter = { or: [{ assignee: null }, { assignee: "" }] };

/** Values of the condition `assignee` for issues without one. No agent should have such a name. */
const unassignedNames: ReadonlySet<string | null> = new Set([null, "", "none", "unassigned"]);
const anyName = "any";

/** Whether closed issues can match. */
export function admitsClosed({ status }: Conditions): boolean {
  return values(status).some((one) => one === "all" || one === "closed" || one === tombstone);
}

/** What may be wrong with the statuses of an empty list. Imported issues may have any status, so that an unusual one is no error. */
export function unusualStatuses({ status }: Conditions): readonly string[] {
  const usual = [...statuses, "all", tombstone];
  return values(status)
    .filter((one) => !usual.includes(one))
    .map((one) => {
      const near = closest(one, usual);
      const advice = near === undefined ? `usual ones are ${usual.join(", ")}.` : `did you mean ${near}?`;
      return `Unusual status ${JSON.stringify(one)}: ${advice}`;
    });
}

/** The store's filter for the conditions. `text` is not a part of it. */
export function toFilter(wanted: Conditions): Filter {
  const { status, issue_type, priority, assignee, label, parent, on, blockers, blocks } = wanted;
  const contains = (field: string, some: Parameters<typeof values>[0]): readonly Filter[] =>
    some === undefined ? [] : [{ or: values(some).map((one) => ({ [field]: { contains: one } })) }];
  return {
    and: [
      ...(values(status).includes("all") ? [] : equal("status", status)),
      ...equal("issue_type", issue_type),
      ...equal("priority", priority),
      ...(assignee === undefined ? [] : assigneeFilter(values(assignee))),
      ...contains("labels", label),
      ...contains("graph.parents", parent),
      ...contains("graph.on", on),
      ...equal("graph.blockerCount", blockers),
      ...equal("graph.blockedCount", blocks),
    ],
  };
}

function values<Value>(wanted: Value | Value[] | undefined): readonly Value[] {
  if (wanted === undefined) return [];
  return Array.isArray(wanted) ? wanted : [wanted];
}

type Equal = string | number | readonly (string | number)[] | z.output<typeof range> | undefined;

function equal(field: string, wanted: Equal): readonly Filter[] {
  if (wanted === undefined) return [];
  return [{ [field]: (Array.isArray(wanted) ? { in: wanted } : wanted) as Condition }];
}

function assigneeFilter(wanted: readonly (string | null)[]): readonly Filter[] {
  if (wanted.includes(anyName)) return [];
  const isUnassigned = wanted.some((one) => unassignedNames.has(one));
  const names = wanted.filter((one) => one !== null && !unassignedNames.has(one));
  return [{ or: [...(isUnassigned ? [unassigned] : []), ...equal("assignee", names as string[])] }];
}

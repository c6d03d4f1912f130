import { describeIssues, detail, isObject, ToolError, type Condition, type Filter } from "@toolpacks/core";
import { z } from "zod";
import { statuses, tombstone } from "./issue-record.ts";

const maxValues = 50;

function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.union([item, z.array(item).min(1).max(maxValues)]).optional();
}

const name = z.string().max(200);
const range = z.strictObject({
  gt: z.int().optional(),
  gte: z.int().optional(),
  lt: z.int().optional(),
  lte: z.int().optional(),
});
const number = z.union([z.int(), range]).optional();

/** The conditions of `where`. All must hold. Of a list, one value must match. */
const conditions = z.strictObject({
  status: oneOrMore(name),
  issue_type: oneOrMore(name),
  priority: z.union([z.int().min(0).max(4), z.array(z.int().min(0).max(4)).min(1).max(5), range]).optional(),
  assignee: oneOrMore(name.nullable()),
  label: oneOrMore(name),
  parent: oneOrMore(name),
  on: oneOrMore(name),
  blockers: number,
  blocks: number,
  text: z.string().max(1_000).optional(),
});

/** Accepts `type` for the field `issue_type`. */
export function renameType(fields: unknown): unknown {
  if (!isObject(fields) || !("type" in fields) || "issue_type" in fields) return fields;
  const { type, ...others } = fields;
  return { ...others, issue_type: type };
}

export type Conditions = z.output<typeof conditions>;

/** @throws ToolError `invalid_input` naming the condition */
export function readConditions(where: Readonly<Record<string, unknown>> | undefined): Conditions {
  const checked = conditions.safeParse(renameType(where ?? {}));
  if (checked.success) return checked.data;
  throw new ToolError(
    "invalid_input",
    `where: ${describeIssues(checked.error.issues, conditions)}`,
    `Known: ${Object.keys(conditions.shape).join(", ")}.`,
  );
}

/** Matches issues without an assignee. Imported files have both forms. */
export const unassigned: Filter = { or: [{ assignee: null }, { assignee: "" }] };

/** Values of the condition `assignee`, which no agent should have as its name. */
const nobodyNames: ReadonlySet<string | null> = new Set([null, "", "none"]);
const anybodyName = "any";

/** Whether the conditions say which assignees are meant. */
export function namesAssignee({ assignee }: Conditions): boolean {
  return assignee !== undefined;
}

/** Whether closed issues can match. */
export function admitsClosed({ status }: Conditions): boolean {
  return values(status).some((one) => one === "all" || one === "closed" || one === tombstone);
}

/** The store's filter for the conditions. `text` is not a part of it. */
export function toFilter(where: Conditions): Filter {
  const { status, issue_type, priority, assignee, label, parent, on, blockers, blocks } = where;
  const contains = (field: string, wanted: Parameters<typeof values>[0]): readonly Filter[] =>
    wanted === undefined ? [] : [{ or: values(wanted).map((one) => ({ [field]: { contains: one } })) }];
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
  if (wanted.includes(anybodyName)) return [];
  const names = wanted.filter((one) => one !== null && !nobodyNames.has(one));
  const isNobodyMeant = wanted.some((one) => nobodyNames.has(one));
  return [{ or: [...(isNobodyMeant ? [unassigned] : []), ...equal("assignee", names as string[])] }];
}

/** A value, a list of values or a range. A union in the schema would cost tokens in every tool list; `readConditions` checks it. */
const flexible = (description: string) => z.unknown().optional().meta(detail(description));

/** The field `where` of `issue_list`. */
export const listedWhere = z
  .preprocess(
    renameType,
    z.strictObject({
      status: flexible(`${statuses.join(", ")}, all; several as a list; default: all that are not closed`),
      issue_type: flexible("bug, feature, task, epic, chore, or another; several as a list"),
      priority: flexible("0 to 4; several as a list; or {lte: 1}"),
      assignee: flexible("a name; none: nobody; several as a list"),
      label: flexible("a label that it has; several: any of a list"),
      parent: flexible("its epic's id"),
      on: flexible("the id of an issue that it depends on"),
      blockers: flexible("how many open issues block it: a number, or {gte: 1}"),
      blocks: flexible("how many open issues it blocks: a number, or {gte: 1}"),
      text: z.string().max(1_000).optional().meta(detail("words that all occur in its title or other texts")),
    }),
  )
  .optional()
  .meta(detail("all must hold"));

/** The field `where` of other tools. */
export const whereField = z
  .record(z.string().max(200), z.unknown())
  .optional()
  .meta(detail(`as in issue_list: ${Object.keys(conditions.shape).join(", ")}`));

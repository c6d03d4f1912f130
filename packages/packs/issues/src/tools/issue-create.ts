import { createHash } from "node:crypto";
import { defineTool, detail, isObject, quoteName, ToolError, type Store, type Stored } from "@toolpacks/core";
import { z } from "zod";
import { findActor, type IssuesContext } from "../context.ts";
import { labelsField } from "../fields.ts";
import { toWrittenItem } from "../issue-item.ts";
import { issueSchema, type Dependency, type Issue } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";
import { renameType } from "../where.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

const shape = issueSchema().shape;
const reference = z.string().min(1).max(250);

const namedFields = z.strictObject({
  title: shape.title.meta(detail("one line")),
  description: shape.description.meta(detail("what and why")),
  issue_type: z.string().min(1).max(200).optional().meta(detail("bug, feature, task, epic, chore; default task")),
  priority: z.int().min(0).max(4).optional().meta(detail("0 first; default: its parent's, else 2")),
  parent: reference.optional().meta(detail("its epic's id; #1 is the call's first")),
  depends: z
    .array(reference.meta(detail("an id, or type:id; #1 is the first issue of this call")))
    .max(100)
    .optional()
    .describe("id or type:id; #1 is the call's first"),
  labels: labelsField,
  assignee: shape.assignee.meta(detail("who should do it")),
  more: z
    .record(z.string().max(200), z.unknown())
    .optional()
    .meta(
      detail(
        "others: external_ref, design, acceptance_criteria, notes, estimated_minutes, defer_until, id; of an issue_type gate: await_type (human, timer, issue), await_id, await_until, deadline",
      ),
    ),
});

/** Moves the other fields of a record into `more`, and accepts `type` for `issue_type`. */
function gatherMore(issue: unknown): unknown {
  const renamed = renameType(issue);
  if (!isObject(renamed)) return renamed;
  const isOther = ([name]: readonly [string, unknown]) =>
    name === "id" || (Object.hasOwn(shape, name) && !Object.hasOwn(namedFields.shape, name));
  const entries = Object.entries(renamed);
  const others = entries.filter(isOther);
  if (others.length === 0) return renamed;
  const { more = {}, ...named } = Object.fromEntries(entries.filter((entry) => !isOther(entry)));
  return { ...named, more: isObject(more) ? { ...more, ...Object.fromEntries(others) } : more };
}

const newIssue = z.preprocess(gatherMore, namedFields);

const input = z.object({
  issues: z
    .array(newIssue.meta(detail("one issue")))
    .min(1)
    .max(100)
    .meta(detail("to add")),
});

export function issueCreate(context: IssuesContext) {
  return defineTool({
    name: "issue_create",
    description: "Add issues, all or none.",
    keywords: [
      "new",
      "add",
      "create child",
      "split into children",
      "dependencies",
      "file",
      "report",
      "plan",
      "bug",
      "task",
      "epic",
      "todo",
    ],
    examples: [{ say: "file a bug", args: { issues: [{ title: "Login times out", issue_type: "bug", priority: 1 }] } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input,
    output: writtenIssues.extend({
      inherited: z.array(z.string()).optional().describe("what new children have from their parents"),
    }),
    text: ({ items, inherited = [] }) => [renderWritten({ items }), ...inherited].join("\n"),
    handler: ({ issues }, call) => {
      const by = findActor(undefined, { context, call });
      return context.store.transaction(async (store) => {
        const ids: string[] = [];
        for (const at of creationOrder(issues)) {
          const operationId = call.operation && createHash("sha256").update(`${call.operation}/${at}`).digest("hex");
          ids[at] = await create({ store, kind: context.kind }, issues[at] as NewIssue, { ids, by, operationId });
        }
        const stored = await Promise.all(ids.map((id) => requireIssue(store, context.kind, id)));
        const inherited = inheritedBy(stored, issues, ids);
        return { items: stored.map(toWrittenItem), ...(inherited.length > 0 && { inherited }) };
      });
    },
  });
}

type NewIssue = z.output<typeof newIssue>;

/** Says what new children have from their parents: the priority, and that they are not ready under blocked or deferred ancestors. */
function inheritedBy(stored: readonly Stored<Issue>[], issues: readonly NewIssue[], ids: readonly string[]) {
  const facts = stored.flatMap(({ data: { priority, graph } }, at) => {
    const { parent, priority: own, more } = issues[at] ?? {};
    if (parent === undefined) return [];
    const under = (graph?.under ?? []).map(quoteName).join(", ");
    return [
      ...((own ?? more?.["priority"]) === undefined ? [`priority ${priority}`] : []),
      ...(under === "" ? [] : [`not ready under ${under}, blocked or deferred`]),
    ].map((fact) => `inherited from ${quoteName(resolveReference(parent, ids))}: ${fact}`);
  });
  return [...new Set(facts)];
}

/** Orders new issues, by their places in the call, so that each comes after the issues that it refers to. */
function creationOrder(issues: readonly NewIssue[]): readonly number[] {
  const ordered: number[] = [];
  const open = new Set<number>();
  const visit = (at: number) => {
    if (ordered.includes(at)) return;
    if (open.has(at)) {
      const cycle = [...open].slice([...open].indexOf(at)).concat(at);
      const text = cycle.map((one) => `#${one + 1}`).join(" -> ");
      throw new ToolError("conflict", `issues[${at}]: a cycle: ${text}`, "Leave out one of these references.");
    }
    open.add(at);
    for (const { field, target } of referencesOf(issues[at])) {
      const place = newIssuePlace(target);
      if (place === undefined) continue;
      if (place < 0 || place >= issues.length) {
        const what = `${field}: ${target}: this call has ${issues.length} issues, #1 to #${issues.length}`;
        throw new ToolError("invalid_input", `issues[${at}].${what}`);
      }
      visit(place);
    }
    open.delete(at);
    ordered.push(at);
  };
  for (const at of issues.keys()) visit(at);
  return ordered;
}

/** The place in the call of an issue that `#1` refers to; undefined for an id. */
function newIssuePlace(reference: string): number | undefined {
  const number = /^#(\d{1,9})$/.exec(reference)?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}

interface Reference {
  readonly field: "parent" | "depends";
  /** The type of the dependency. */
  readonly type: string;
  readonly target: string;
}

function referencesOf({ parent, depends = [] }: Partial<NewIssue> = {}): readonly Reference[] {
  const dependencies = depends.map((text): Reference => {
    const { type = "blocks", target = text } = /^(?:(?<type>[a-z][a-z-]*):)?(?<target>.+)$/s.exec(text)?.groups ?? {};
    return { field: "depends", type, target };
  });
  return parent === undefined
    ? dependencies
    : [{ field: "parent", type: "parent-child", target: parent }, ...dependencies];
}

interface CreateContext {
  /** Ids of the issues that this call created before, by their places in the call. */
  readonly ids: readonly string[];
  readonly by: string | undefined;
  /** The same for each repetition of a call that created the issue. */
  readonly operationId: string | undefined;
}

async function create(
  { store, kind }: { readonly store: Store; readonly kind: IssuesContext["kind"] },
  issue: NewIssue,
  { ids, by, operationId }: CreateContext,
): Promise<string> {
  const { parent, depends: _, more = {}, ...named } = issue;
  const { id, ...others } = more;
  if (others["dependencies"] !== undefined)
    throw new ToolError("invalid_input", "more: dependencies are given as depends and parent");
  const dependencies = referencesOf(issue).map(({ type, target }): Dependency => ({
    depends_on_id: resolveReference(target, ids),
    type,
    created_by: by,
  }));
  const inherited =
    parent === undefined ? undefined : (await store.get(kind, resolveReference(parent, ids)))?.data.priority;
  const record = {
    priority: inherited,
    ...others,
    ...named,
    ...(dependencies.length > 0 && { dependencies }),
    ...(by !== undefined && { created_by: by }),
  };
  if (id !== undefined && (typeof id !== "string" || !/^[\w.-]{1,200}$/.test(id)))
    throw new ToolError("invalid_input", "id: expected letters, digits, dots and dashes");
  if (id !== undefined && operationId === undefined && (await store.get(kind, id)) !== undefined)
    throw new ToolError("conflict", `id: ${id} is taken`, "Leave it out for a new one.");
  // A repetition is answered before its generation is compared.
  const created = await store.put(kind, record, { id, ifGeneration: id === undefined ? undefined : 0, operationId });
  return created.id;
}

function resolveReference(reference: string, ids: readonly string[]): string {
  return ids[newIssuePlace(reference) ?? -1] ?? reference;
}

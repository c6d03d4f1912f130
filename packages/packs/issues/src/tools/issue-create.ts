import { defineTool, detail, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";
import { findActor, type IssuesContext } from "../context.ts";
import { labelsField } from "../fields.ts";
import { toItem } from "../issue-item.ts";
import { issueSchema, type Dependency } from "../issue-record.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

const shape = issueSchema().shape;
const reference = z.string().min(1).max(250);

const newIssue = z.strictObject({
  title: shape.title.meta(detail("one line")),
  description: shape.description.meta(detail("what and why")),
  issue_type: z.string().min(1).max(200).optional().describe("bug, feature, task, epic, chore"),
  priority: z.int().min(0).max(4).optional().meta(detail("0 first; default 2")),
  parent: reference.optional().meta(detail("its epic's id; #1 is the first issue of this call")),
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
      detail("any other field: design, acceptance_criteria, notes, external_ref, estimated_minutes, defer_until, id"),
    ),
});

const input = z.object({
  issues: z
    .array(newIssue.meta(detail("one issue")))
    .min(1)
    .max(100)
    .meta(detail("all are created, or none")),
});

/** `issue_create`: creates issues with their dependencies, all or none. */
export function issueCreate(context: IssuesContext) {
  return defineTool({
    name: "issue_create",
    description: "Add issues, all or none.",
    keywords: ["new", "add", "file", "report", "plan", "bug", "task", "epic", "todo"],
    examples: [{ say: "file a bug", args: { issues: [{ title: "Login times out", issue_type: "bug", priority: 1 }] } }],
    mutates: true,
    effects: { destructive: false },
    input,
    output: writtenIssues,
    text: renderWritten,
    handler: ({ issues }, call) => {
      const by = findActor(undefined, { context, call });
      return context.store.transaction(async (store) => {
        const ids: string[] = [];
        for (const issue of issues) ids.push(await create({ store, kind: context.kind }, issue, { ids, by }));
        const stored = await Promise.all(ids.map((id) => store.get(context.kind, id)));
        return { items: stored.flatMap((one) => (one === undefined ? [] : [toItem(one)])) };
      });
    },
  });
}

interface CreateContext {
  /** Ids of the issues that this call created before. */
  readonly ids: readonly string[];
  readonly by: string | undefined;
}

async function create(
  { store, kind }: { readonly store: Store; readonly kind: IssuesContext["kind"] },
  { parent, depends = [], more = {}, ...named }: z.output<typeof newIssue>,
  { ids, by }: CreateContext,
): Promise<string> {
  const dependencies: Dependency[] = [
    ...(parent === undefined ? [] : [{ depends_on_id: resolveReference(parent, ids, "parent"), type: "parent-child" }]),
    ...depends.map((one) => {
      const { type = "blocks", target } = /^(?:(?<type>[a-z][a-z-]*):)?(?<target>.+)$/s.exec(one)?.groups ?? {};
      return { depends_on_id: resolveReference(target ?? one, ids, "depends"), type };
    }),
  ];
  const { id, ...others } = more;
  if (others["dependencies"] !== undefined) {
    throw new ToolError("invalid_input", "more: dependencies are given as depends and parent");
  }
  const fields = { ...others, ...named };
  const record = {
    ...fields,
    ...(dependencies.length > 0 && {
      dependencies: dependencies.map((one) => (by === undefined ? one : { ...one, created_by: by })),
    }),
    ...(by !== undefined && { created_by: by }),
  };
  if (id !== undefined && (typeof id !== "string" || !/^[\w.-]{1,200}$/.test(id))) {
    throw new ToolError("invalid_input", "id: expected letters, digits, dots and dashes");
  }
  if (id !== undefined && (await store.get(kind, id)) !== undefined) {
    throw new ToolError("conflict", `id: ${id} is taken`, "Leave it out for a new one.");
  }
  return (await store.put(kind, record, id === undefined ? {} : { id })).id;
}

function resolveReference(reference: string, ids: readonly string[], field: string): string {
  const match = /^#(\d+)$/.exec(reference);
  if (match === null) return reference;
  const id = ids[Number(match[1]) - 1];
  if (id !== undefined) return id;
  throw new ToolError("invalid_input", `${field}: ${reference} is not an earlier issue of this call`);
}

import { defineTool, quoteName, ToolError, type Filter, type Store, type Stored } from "@toolpacks/core";
import { everyRecord, maxIdLength } from "@toolpacks/store";
import { z } from "zod";
import { requireActor, type IssuesContext } from "../context.ts";
import { actorField } from "../fields.ts";
import { issueItem, renderItem, toItem } from "../issue-item.ts";
import { withoutFraction, type Issue } from "../issue-record.ts";
import { holder } from "../life-cycle.ts";
import { availableTo, readyFilter } from "../ready-filter.ts";
import { requireIssue } from "../require-issue.ts";

const minute = 60_000;

const input = z.object({
  id: z.string().min(1).max(maxIdLength).optional().describe("default: first ready"),
  actor: actorField,
});

const output = z.object({ issue: issueItem, lease_until: z.string() });

export function issueClaim(context: IssuesContext) {
  return defineTool({
    name: "issue_claim",
    description: "Take an issue; claim again to renew.",
    keywords: ["start", "assign to me", "lock", "begin", "take", "next"],
    examples: [{ say: "give me the next task", args: { actor: "claude-7f3a" } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input,
    output,
    text: ({ issue, lease_until: until }) => `${renderItem(issue)}, yours until ${withoutFraction(until)}`,
    handler: ({ id, actor }, call) => {
      const who = requireActor(actor, { context, call });
      return context.store.transaction(async (store) => {
        const now = new Date();
        const chosen = await chooseIssue(context, { store, id, who, now: now.toISOString() });
        const lease_until = new Date(now.getTime() + context.leaseMinutes * minute).toISOString();
        const patch = { status: "in_progress", assignee: who, lease_until };
        const claimed = await store.put(context.kind, patch, { id: chosen.id, patch: true });
        return { issue: toItem(claimed), lease_until };
      });
    },
  });
}

interface Claim {
  readonly store: Store;
  readonly id: string | undefined;
  readonly who: string;
  readonly now: string;
}

async function chooseIssue({ kind }: IssuesContext, { store, id, who, now }: Claim): Promise<Stored<Issue>> {
  if (id !== undefined) {
    const issue = await requireIssue(store, kind, id);
    checkClaimable(issue, who, now);
    return issue;
  }
  const ready = await mostUrgent({ store, kind }, { and: [readyFilter({ now }), availableTo(who)] });
  if (ready !== undefined) return ready;
  // An issue in progress whose lease has expired can be claimed by another caller.
  const lapsed = { ...readyFilter({ now, state: "working" }), lease_until: { lte: now } };
  const left = await mostUrgent({ store, kind }, lapsed);
  if (left !== undefined) return left;
  throw await nothingReady({ store, kind, now });
}

/** The most urgent issue, without epics that have open children: their work is in the children. */
async function mostUrgent({ store, kind }: Pick<IssuesContext, "store" | "kind">, filter: Filter) {
  for await (const issue of everyRecord(store, kind, { filter, sort: ["priority"], pageSize: 10 })) {
    if (issue.data.issue_type !== "epic") return issue;
    const children = { filter: { "graph.parents": { contains: issue.id } }, fields: [], limit: 1, countTo: 1 };
    if ((await store.query(kind, children)).total === 0) return issue;
  }
  return undefined;
}

/** The error when no issue is ready. It says whether to wait, and until when. */
async function nothingReady({ store, kind, now }: Pick<Claim, "store" | "now"> & Pick<IssuesContext, "kind">) {
  const claimed = { "graph.state": "working", lease_until: { gt: now } };
  const { items, total } = await store.query(kind, { filter: claimed, sort: ["lease_until"], limit: 1 });
  const others = "issue_ready says which are assigned to others, issue_blocked which wait.";
  if (items[0] !== undefined) {
    const { id, data } = items[0];
    const until = withoutFraction(data.lease_until ?? now);
    const first = `${quoteName(id)} is claimed by ${quoteName(data.assignee ?? "")} until ${until}`;
    const more = total === 1 ? "" : `, ${total - 1} more ${total === 2 ? "is" : "are"} claimed`;
    return new ToolError("not_found", `no issue is ready; ${first}${more}`, `A lapsed claim can be taken. ${others}`);
  }
  const open = await store.query(kind, { limit: 1, fields: [], countTo: 1 });
  if (open.total === 0) return new ToolError("not_found", "no issue is ready; none is open", "issue_create adds some.");
  return new ToolError("not_found", "no issue is ready", others);
}

function checkClaimable({ id, data }: Stored<Issue>, who: string, now: string): void {
  const { status, assignee, lease_until: until, graph } = data;
  const held = holder(data, now);
  if (held === who) return;
  const isTheirs = status === "in_progress" && until === undefined && assignee !== undefined && assignee !== who;
  if (held !== undefined || isTheirs)
    throw claimError(id, `claimed by ${assignee}${held === undefined ? "" : ` until ${until}`}`);
  if (graph?.state === "blocked")
    throw claimError(id, `blocked by ${[...graph.blockers, ...graph.under].join(", ") || "its status"}`);
  if (status !== "open" && status !== "in_progress") throw claimError(id, `it is ${status}`);
}

function claimError(id: string, why: string): ToolError {
  return new ToolError("conflict", `${id}: ${why}`, "Take another one: issue_ready.");
}

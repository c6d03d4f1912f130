import { defineTool, ToolError, type Store, type Tool, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { applySync } from "./apply-sync.ts";
import { readIssues, readLinks, requireIssueKind } from "./local-issues.ts";
import { oneRun } from "./one-run.ts";
import { planSync, type SyncChange, type SyncPlan } from "./plan-sync.ts";
import { TrackerError } from "./tracker-error.ts";
import { renderReport, syncReport, type AppliedSync, type DescribedChange, type SyncReport } from "./sync-report.ts";
import { readSyncSetting, type SyncSetting } from "./sync-setting.ts";
import { openTracker, type CallTool } from "./tracker.ts";

const input = z.object({
  tracker: z.string().max(100).describe("name of the tracker in the options of this pack, such as github"),
  apply: z.boolean().optional().describe("make the changes; default: only show them"),
  create: z.boolean().optional().describe("also create issues there that exist only here"),
  resolve: z.enum(["here", "there"]).optional().describe("which side wins a conflict; default: neither"),
  only: z.array(z.string().max(300)).max(1_000).optional().describe("only these issues, by id or external_ref"),
});

/** `issue_sync`: compares the issues of the workspace with those of another tracker, and makes both alike with `apply`. */
export function issueSync({ servers, store }: { servers: Readonly<Record<string, unknown>>; store: Store }): Tool {
  return defineTool({
    name: "issue_sync",
    description: "Compare the issues here with those of another tracker; with apply, make both alike.",
    keywords: ["github", "jira", "synchronize", "mirror", "import", "export", "two-way", "tracker"],
    examples: [{ say: "what would change between our issues and GitHub's", args: { tracker: "github" } }],
    mutates: true,
    effects: { openWorld: true },
    input,
    output: syncReport,
    text: renderReport,
    async handler(request, context): Promise<SyncReport> {
      const setting = readSyncSetting(servers, request.tracker, request.create);
      try {
        return await synchronize(setting, { request, store, context });
      } catch (error) {
        context.signal.throwIfAborted();
        throw error instanceof TrackerError ? listFailure(error) : error;
      }
    },
  });
}

async function synchronize(
  setting: SyncSetting,
  { request, store, context }: { request: z.output<typeof input>; store: Store; context: ToolContext },
): Promise<SyncReport> {
  const { resolve, only } = request;
  const { signal } = context;
  const call = callsOf(context);
  const kind = requireIssueKind(context);
  const tracker = await openTracker(setting, toolsOf(setting.server, call));
  const plan = async () => {
    const items = await tracker.list();
    const [issues, links] = [await readIssues(store, kind, setting), await readLinks(store, setting.name)];
    return onlyNamed(planSync({ setting, issues, items, links, resolve }), only);
  };
  if (request.apply !== true) return describePlan(await plan());
  return oneRun(store, setting.name, async (renew) => {
    const planned = await plan();
    const progress = async (done: number, total: number) => {
      await renew();
      await context.progress(done, total);
    };
    const applied = await applySync(planned.changes, { setting, tracker, store, kind, call, signal, progress });
    return describePlan(planned, applied);
  });
}

/** Calls tools with the rights of the caller. */
function callsOf(context: ToolContext): CallTool {
  const { access } = context;
  if (access === undefined) throw new Error("issue_sync runs only in a call through a dispatcher");
  const inner: ToolContext = { ...context, resultMode: "full", progress: async () => {} };
  return (name, args) => access.dispatch({ name, args, context: inner });
}

/** Calls tools of a server by their names there. */
function toolsOf(server: string, call: CallTool): CallTool {
  const prefix = `${server.replaceAll(/[^A-Za-z0-9]+/g, "_").toLowerCase()}_`;
  return (tool, args) => call(tool.startsWith(prefix) ? tool : prefix + tool, args);
}

/** A list that failed in the middle is not used: what it lacks would look deleted. */
function listFailure({ message, effect }: TrackerError): ToolError {
  return new ToolError(
    "unavailable",
    message,
    `Nothing was changed.${effect === "limited" ? " Try again later." : ""}`,
  );
}

function onlyNamed(plan: SyncPlan, only: readonly string[] | undefined): SyncPlan {
  if (only === undefined) return plan;
  const isNamed = ({ issue, item }: SyncChange) => only.includes(issue?.id ?? "") || only.includes(item?.ref ?? "");
  return { ...plan, changes: plan.changes.filter(isNamed) };
}

function describePlan({ changes, notices }: SyncPlan, applied?: AppliedSync): SyncReport {
  return {
    changes: changes.flatMap(describeChange),
    conflicts: changes.flatMap((change) => {
      if (change.kind !== "linked") return [];
      return change.conflicts.map((one) => ({ issue: change.issue.id, ref: change.item.ref, ...one }));
    }),
    notices: [...notices],
    ...(applied && { applied }),
  };
}

function describeChange(change: SyncChange): DescribedChange[] {
  const { kind, issue, item } = change;
  const names = { issue: issue?.id, ref: item?.ref, title: issue?.title ?? String(item?.values.title) };
  if (kind === "create-here") return [{ action: "create here", ...names }];
  if (kind === "create-there") return [{ action: "create there", ...names }];
  const here = Object.keys(change.writeHere);
  const there = Object.keys(change.writeThere);
  return [
    ...(change.issue.externalRef === undefined ? [{ action: "link" as const, ...names }] : []),
    ...(here.length === 0 ? [] : [{ action: "update here" as const, ...names, fields: here }]),
    ...(there.length === 0 ? [] : [{ action: "update there" as const, ...names, fields: there }]),
  ];
}

import { definePack, defineTool, failedReply, reply, ToolError, type Pack } from "@toolpacks/core";
import { z } from "zod";

/** An issue of the tracker. */
export interface TrackerIssue {
  number: number;
  title: string;
  body?: string | undefined;
  state: "OPEN" | "CLOSED";
  labels?: string[] | undefined;
  assignees?: string[];
}

/**
 * What goes wrong at a call. `limit`: a rate limit. `error`: an error without an effect. `error-after`: an error after the effect. `die-before` and
 * `die-after`: the server ends. `kill-before` and `kill-after`: the process of the synchronization is killed. `interrupt`: its call is cancelled and has no
 * answer. `edit`: somebody changes the issue before the call.
 */
export interface Fault {
  readonly tool: "list" | "get" | "create" | "update";
  /** Number of the call of this tool, from 1. */
  readonly at: number;
  readonly kind:
    | "limit"
    | "error"
    | "error-after"
    | "die-before"
    | "die-after"
    | "kill-before"
    | "kill-after"
    | "interrupt"
    | "edit";
  readonly text?: string;
}

export interface TrackerState {
  issues: TrackerIssue[];
  faults: Fault[];
  calls: Record<Fault["tool"], number>;
  /** Whether the tracker changes texts that it gets. */
  sanitizes?: boolean;
  /** Ends the synchronization that is running. */
  onKill: () => void;
  onInterrupt: () => void;
}

const noCalls = () => ({ list: 0, get: 0, create: 0, update: 0 });

/** A tracker without issues. */
export function newTracker(): TrackerState {
  return { issues: [], faults: [], calls: noCalls(), onKill: () => {}, onInterrupt: () => {} };
}

/** Changes a tracker between two synchronizations. The calls of its faults are counted from now. */
export function editTracker(state: TrackerState, edit: (state: TrackerState) => void): void {
  state.calls = noCalls();
  edit(state);
}

const input = z.object({
  method: z.string().optional(),
  owner: z.string().optional(),
  repo: z.string().optional(),
  after: z.string().optional(),
  perPage: z.number().optional(),
  orderBy: z.string().optional(),
  direction: z.string().optional(),
  issue_number: z.number().optional(),
  title: z.string().optional(),
  body: z.string().optional(),
  state: z.string().optional(),
  labels: z.array(z.string()).optional(),
  assignees: z.array(z.string()).optional(),
});

type Call = z.output<typeof input>;

/** An issue tracker like GitHub's, as a pack whose tools answer like those of another server: JSON in a text. */
export function trackerPack(state: TrackerState): Pack {
  const tool = (name: string, mutates: boolean, kindOf: (call: Call) => Fault["tool"]) =>
    defineTool({
      name: `tracker_${name}`,
      description: `The tool ${name} of the tracker.`,
      mutates,
      input,
      output: z.object({}),
      examples: [],
      handler: (call, { signal }) => Promise.race([perform(state, kindOf(call), call), aborted(signal)]),
    });
  return definePack({
    name: "tracker",
    description: "An issue tracker.",
    budget: 1_000,
    tools: () => [
      tool("list_issues", false, () => "list"),
      tool("issue_read", false, () => "get"),
      tool("issue_write", true, ({ method }) => (method === "create" ? "create" : "update")),
    ],
  })();
}

const failed = (text: string) => failedReply([{ type: "text", text }], { code: "unavailable", message: text });
const ended = () => new ToolError("unavailable", "the server of the tracker has ended");
const never = () => new Promise<never>(() => {});
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

async function perform(state: TrackerState, tool: Fault["tool"], call: Call) {
  state.calls[tool] += 1;
  const fault = state.faults.find((one) => one.tool === tool && one.at === state.calls[tool]);
  state.faults = state.faults.filter((one) => one !== fault);
  switch (fault?.kind) {
    case "limit":
      return failed(fault.text ?? "API rate limit exceeded [rate reset in 1s]");
    case "error":
      return failed(fault.text ?? "502 Bad Gateway");
    case "die-before":
      throw ended();
    case "kill-before":
      state.onKill();
      return never();
    case "edit":
      for (const issue of state.issues) if (issue.number === call.issue_number) issue.title = "changed by somebody";
  }
  if (call.owner !== "acme") return failed("404 Not Found");
  const result = change(state, tool, call);
  switch (fault?.kind) {
    case "error-after":
      return failed("504 Gateway Timeout");
    case "die-after":
      throw ended();
    case "kill-after":
      state.onKill();
      return never();
    case "interrupt":
      setTimeout(state.onInterrupt);
      return never();
    default:
      return result === undefined ? failed("404 Not Found") : reply([{ type: "text", text: JSON.stringify(result) }]);
  }
}

function change(state: TrackerState, tool: Fault["tool"], call: Call): object | undefined {
  const { issues } = state;
  if (tool === "list") {
    const from = Number(call.after ?? 0);
    const page = issues.slice(from, from + (call.perPage ?? 30));
    const endCursor = String(from + page.length);
    const pageInfo = { hasNextPage: Number(endCursor) < issues.length, endCursor };
    return { issues: page, totalCount: issues.length, pageInfo };
  }
  if (tool === "create") {
    const number = Math.max(0, ...issues.map((one) => one.number)) + 1;
    issues.push({ number, title: "", state: "OPEN" });
    return write(issues.at(-1), state, call);
  }
  const issue = issues.find(({ number }) => number === call.issue_number);
  return tool === "get" ? issue && { ...issue, state: issue.state.toLowerCase() } : write(issue, state, call);
}

function write(issue: TrackerIssue | undefined, { sanitizes }: TrackerState, call: Call): object | undefined {
  if (issue === undefined) return undefined;
  const { title, body, state, labels, assignees } = call;
  if (title !== undefined) issue.title = title;
  if (body !== undefined) issue.body = sanitizes === true ? body.replaceAll("<", "&lt;") : body;
  if (state !== undefined) issue.state = state === "closed" ? "CLOSED" : "OPEN";
  if (labels !== undefined) issue.labels = labels;
  if (assignees !== undefined) issue.assignees = assignees;
  return { id: `id-${issue.number}`, url: `https://github.com/acme/web/issues/${issue.number}` };
}

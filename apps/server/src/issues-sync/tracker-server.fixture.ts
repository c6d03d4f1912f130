// An MCP server with an issue tracker like GitHub's, in plain JSON-RPC: `node tracker-server.fixture.ts <file>`.
// The file holds its issues, so that they outlive the process, and the faults that it still has to commit.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** An issue of the tracker. */
export interface TrackerIssue {
  number: number;
  title: string;
  body?: string;
  state: "OPEN" | "CLOSED";
  labels?: string[];
  assignees?: string[];
}

/**
 * What goes wrong at a call. `limit`: a rate limit. `error`: an error without an effect. `error-after`: an error after the effect. `die-before` and
 * `die-after`: the server ends. `kill-before` and `kill-after`: the client is killed. `edit`: somebody changes the issue before the call.
 */
export interface Fault {
  readonly tool: "list" | "get" | "create" | "update";
  /** Number of the call of this tool, from 1. */
  readonly at: number;
  readonly kind: "limit" | "error" | "error-after" | "die-before" | "die-after" | "kill-before" | "kill-after" | "edit";
  readonly text?: string;
}

/** The content of the server's file. */
export interface TrackerState {
  issues: TrackerIssue[];
  faults: Fault[];
  calls: Record<Fault["tool"], number>;
  /** What the tracker makes of a body. Default: nothing. */
  sanitizes?: boolean;
}

export function readTracker(file: string): TrackerState {
  return JSON.parse(readFileSync(file, "utf8")) as TrackerState;
}

export function writeTracker(file: string, state: TrackerState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

interface Call {
  readonly method?: string;
  readonly owner?: string;
  readonly after?: string;
  readonly perPage?: number;
  readonly issue_number?: number;
  readonly title?: string;
  readonly body?: string;
  readonly state?: string;
  readonly labels?: string[];
  readonly assignees?: string[];
}

class ToolFailure extends Error {}

function serve(file: string): void {
  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });
  const kindOf = (name: string, { method }: Call): Fault["tool"] => {
    if (name === "list_issues") return "list";
    if (name === "issue_read") return "get";
    return method === "create" ? "create" : "update";
  };
  const perform = (name: string, args: Call): object => {
    const state = readTracker(file);
    const tool = kindOf(name, args);
    state.calls[tool] += 1;
    const fault = state.faults.find((one) => one.tool === tool && one.at === state.calls[tool]);
    state.faults = state.faults.filter((one) => one !== fault);
    writeTracker(file, state);
    if (fault?.kind === "limit") throw new ToolFailure(fault.text ?? "API rate limit exceeded [rate reset in 1s]");
    if (fault?.kind === "error") throw new ToolFailure(fault.text ?? "502 Bad Gateway");
    if (fault?.kind === "die-before") process.exit(1);
    if (fault?.kind === "kill-before") killClient();
    if (fault?.kind === "edit") {
      const issue = state.issues.find(({ number }) => number === args.issue_number);
      if (issue !== undefined) issue.title = "changed by somebody";
    }
    const result = change(state, tool, args);
    writeTracker(file, state);
    if (fault?.kind === "error-after") throw new ToolFailure("504 Gateway Timeout");
    if (fault?.kind === "die-after") process.exit(1);
    if (fault?.kind === "kill-after") killClient();
    return result;
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line) as {
      id?: number;
      method: string;
      params?: { name: string; arguments?: Call };
    };
    const serverInfo = { name: "tracker", version: "1" };
    if (id === undefined) return;
    if (method === "initialize") {
      send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
      return;
    }
    if (method !== "tools/call") {
      send(
        method === "tools/list" ? { id, result: { tools } } : { id, error: { code: -32_601, message: "not found" } },
      );
      return;
    }
    try {
      send({ id, result: text(JSON.stringify(perform(params?.name ?? "", params?.arguments ?? {}))) });
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      send({ id, result: { ...text(error.message), isError: true } });
    }
  });
}

/** Kills the process that started this server, and never answers. */
function killClient(): never {
  process.kill(process.ppid, "SIGKILL");
  process.exit(1);
}

function change(state: TrackerState, tool: Fault["tool"], args: Call): object {
  if (args.owner !== "acme") throw new ToolFailure("404 Not Found");
  const { issues } = state;
  if (tool === "list") {
    const from = Number(args.after ?? 0);
    const page = issues.slice(from, from + (args.perPage ?? 30));
    const endCursor = String(from + page.length);
    return {
      issues: page,
      totalCount: issues.length,
      pageInfo: { hasNextPage: Number(endCursor) < issues.length, endCursor },
    };
  }
  if (tool === "create") {
    const number = Math.max(0, ...issues.map((one) => one.number)) + 1;
    issues.push({ number, title: "", state: "OPEN" });
    write(issues.at(-1), state, args);
    return { id: `id-${number}`, url: `https://github.com/acme/web/issues/${number}` };
  }
  const issue = issues.find(({ number }) => number === args.issue_number);
  if (issue === undefined) throw new ToolFailure(`404 Not Found: #${args.issue_number}`);
  if (tool === "get") return { ...issue, state: issue.state.toLowerCase() };
  write(issue, state, args);
  return { id: `id-${issue.number}`, url: `https://github.com/acme/web/issues/${issue.number}` };
}

function write(issue: TrackerIssue | undefined, { sanitizes }: TrackerState, args: Call): void {
  if (issue === undefined) return;
  const { title, body, state, labels, assignees } = args;
  if (title !== undefined) issue.title = title;
  if (body !== undefined) issue.body = sanitizes === true ? body.replaceAll("<", "&lt;") : body;
  if (state !== undefined) issue.state = state === "closed" ? "CLOSED" : "OPEN";
  if (labels !== undefined) issue.labels = labels;
  if (assignees !== undefined) issue.assignees = assignees;
}

const fields = { owner: { type: "string" }, repo: { type: "string" } };
const tools = [
  {
    name: "list_issues",
    description: "List issues.",
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { ...fields, after: { type: "string" }, perPage: { type: "number" } } },
  },
  {
    name: "issue_read",
    description: "Read an issue.",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: { ...fields, method: { enum: ["get"] }, issue_number: { type: "number" } },
      required: ["method", "owner", "repo", "issue_number"],
    },
  },
  {
    name: "issue_write",
    description: "Create or update an issue.",
    inputSchema: {
      type: "object",
      properties: {
        ...fields,
        method: { enum: ["create", "update"] },
        issue_number: { type: "number" },
        title: { type: "string" },
        body: { type: "string" },
        state: { enum: ["open", "closed"] },
        labels: { type: "array", items: { type: "string" } },
        assignees: { type: "array", items: { type: "string" } },
      },
      required: ["method", "owner", "repo"],
    },
  },
];

const [, , file] = process.argv;
if (file !== undefined && process.argv[1] === import.meta.filename) serve(file);

import { createHash } from "node:crypto";
import { isObject, ToolError, maskValue } from "@toolpacks/core";
import { inlineName } from "../definition/workflow.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { OnError } from "../definition/step-kinds.ts";
import type { Answers } from "../engine/run-waits.ts";
import { currentStatus, type ReportHead } from "./owner.ts";
import type { ReportStatus } from "./report-kind.ts";

/** Options of a run. */
export interface RunOptions {
  readonly dryRun?: boolean | undefined;
  /** Whether tools that change anything are refused. */
  readonly readOnly?: boolean | undefined;
  readonly onError?: OnError | undefined;
}

/** How a run was started, as its report keeps it. */
export interface Plan {
  readonly source: Workflow["source"];
  /** Whether the definition came with the call. */
  readonly inline: boolean;
  readonly input: unknown;
  readonly options: RunOptions;
  /** The answers to its questions, by the path of their step. */
  readonly answers?: Answers | undefined;
  /** The first report of the run, if this one goes on with another. */
  readonly first?: string | undefined;
  /** When the first report began, in ms. */
  readonly began?: number | undefined;
  /** Whether the clock goes on with it after its process was killed: the clock has started it, or it has waited. */
  readonly isUnattended?: boolean | undefined;
}

const unfinished: ReadonlySet<ReportStatus> = new Set(["interrupted", "cancelled", "failed", "waiting"]);

/** Whether a run with this end can be resumed: it did not finish, or steps failed while it went on. These steps run again then. */
export function isResumable({ status, counts }: Pick<ReportHead["data"], "status" | "counts">): boolean {
  return unfinished.has(status) || (counts["failed"] ?? 0) > 0;
}

/** Binds a plan to its report. It detects mix-ups, but does not protect from anyone who can write to the store. */
export function planDigest({ id, workflow, plan }: Readonly<Record<"id" | "workflow" | "plan", string>>): string {
  return createHash("sha256")
    .update(JSON.stringify([id, workflow, plan]))
    .digest("hex");
}

/**
 * The plan of a run that can be resumed. Only reports of inline definitions hold steps that run; other runs use the library.
 *
 * @throws ToolError `conflict` when there is nothing to resume, or the plan belongs to another report
 */
export function planToResume(head: ReportHead): Plan {
  const { id } = head;
  const { workflow, plan, planDigest: digest, resumedBy, counts } = head.data;
  const status = currentStatus(head);
  if (resumedBy !== undefined) throw alreadyResumed(id, resumedBy);
  if (!isResumable({ status, counts }))
    throw new ToolError("conflict", `resume: report ${id} is ${status}; there is nothing to resume`);
  const parsed = digest === planDigest({ id, workflow, plan }) ? (JSON.parse(plan) as unknown) : undefined;
  if (!isPlan(parsed) || parsed.inline !== (workflow === inlineName)) {
    const problem = `resume: the plan of report ${id} is not the one that it was written with`;
    throw new ToolError("conflict", problem, "Run it anew.");
  }
  return parsed;
}

/** The error of all but one of the callers that resume a run, or answer its question. */
export function alreadyResumed(report: string, by: string): ToolError {
  return new ToolError("conflict", `resume: report ${report} was resumed already`, `Its continuation is report ${by}.`);
}

function isPlan(value: unknown): value is Plan {
  return isObject(value) && isObject(value["source"]) && isObject(value["options"]);
}

/** The workflow and options of a resumed run. Undefined when it cannot be resumed. */
export function shownPlan(head: ReportHead): Record<string, unknown> | undefined {
  try {
    const { source, inline, input, options, answers } = planToResume(head);
    const given = { input, answers };
    const shown = { ...(inline && { ...source }), ...given, ...options };
    return maskValue(JSON.parse(JSON.stringify(shown))) as Record<string, unknown>;
  } catch (error) {
    if (ToolError.is(error)) return undefined;
    throw error;
  }
}

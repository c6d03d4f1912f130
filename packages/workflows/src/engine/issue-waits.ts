import { callerStore } from "@toolpacks/store";
import { ToolError, type Kind, type Store, type ToolAccess, type ToolContext } from "@toolpacks/core";
import type { Step } from "../definition/workflow.ts";
import type { RunWaits } from "./run-waits.ts";

/** The kind of issues. Undefined if their pack is not mounted, or the caller may not read them. */
export function issueKind(access: Pick<ToolAccess, "kinds">): Kind | undefined {
  return access.kinds().find(({ name }) => name === "issue");
}

/** Reads issues by the kind of the pack that keeps them, as their caller. */
export function issueReader(store: Store, context: Pick<ToolContext, "access" | "principal">): RunWaits["findIssue"] {
  return async (id) => {
    const kind = context.access && issueKind(context.access);
    return kind && callerStore(store, context.principal).get(kind, id);
  };
}

/** @throws ToolError `invalid_input` when a step waits for an issue, and no pack keeps issues */
export function checkIssueWaits(steps: readonly Step[], access: ToolAccess): void {
  if (issueKind(access) !== undefined) return;
  const waiting = steps.find((step) => step.kind === "issue" || (step.kind === "wait" && step.waitsFor === "issue"));
  if (waiting === undefined) return;
  const hint = "Mount the issues pack, or wait for a time.";
  throw new ToolError("invalid_input", `step ${waiting.id}: it waits for an issue, and no pack keeps issues`, hint);
}

import type { WorkflowSource } from "./workflow-source.ts";

/** The name of a workflow's own tool and prompt. Undefined when it is not exposed. */
export function ownTool(name: string, { expose }: Pick<WorkflowSource, "expose">): string | undefined {
  return expose === "tool" ? `workflow_${name}` : undefined;
}

/** The tools that start runs. Steps may not call them, since a workflow could call itself. */
export const runningTools = /^workflow_(?!(?:list|report|steps)$)[a-z0-9_]+$/;

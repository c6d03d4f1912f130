import type { WorkflowSource } from "./workflow-source.ts";

/** The name of a workflow's own tool and prompt. Undefined when it is not exposed. */
export function ownTool(name: string, { expose }: Pick<WorkflowSource, "expose">): string | undefined {
  return expose === "tool" ? `workflow_${name}` : undefined;
}

import { ToolError } from "@toolpacks/core";
import type { WorkflowSource } from "./workflow-source.ts";

/** Names of workflows whose tool would have the name of a tool of the pack. */
const reservedNames = new Set(["eval", "run", "list", "step", "report", "steps"]);

/** @throws ToolError `invalid_input` for an exposed workflow whose tool would have the name of a tool of the pack */
export function checkOwnTool(name: string, source: Pick<WorkflowSource, "expose">): void {
  const tool = ownTool(name, source);
  if (tool === undefined || !reservedNames.has(name)) return;
  throw new ToolError(
    "invalid_input",
    `workflows.${name}.expose: ${tool} is a tool of the workflows pack already`,
    "Rename the workflow.",
  );
}

/** The name of a workflow's own tool and prompt. Undefined when it is not exposed. */
export function ownTool(name: string, { expose }: Pick<WorkflowSource, "expose">): string | undefined {
  return expose === "tool" ? `workflow_${name}` : undefined;
}

import { describeIssues, ToolError } from "@toolpacks/core";
import { createLibrary } from "./definition/library.ts";
import { workflowSources } from "./definition/workflow-source.ts";

/**
 * Checks workflows as a config file holds them: their shape, expressions and references, and that none leads back to itself.
 *
 * @param names those to check; default all
 * @throws ToolError naming the place: `workflows.audit.steps[1].tool: …`
 */
export async function checkDefinitions(
  definitions: Readonly<Record<string, unknown>>,
  names = Object.keys(definitions),
): Promise<void> {
  if (names.length === 0) return;
  const parsed = workflowSources.safeParse(definitions);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ["workflows", ...issue.path] }));
    throw new ToolError("invalid_input", describeIssues(issues, Object.keys(definitions)));
  }
  await createLibrary(parsed.data).check(names);
}

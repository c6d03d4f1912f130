import { createHash } from "node:crypto";
import { closest, defaultWorkspace, ToolError, type Intent } from "@toolpacks/core";
import { z } from "zod";

const said = (most: number) => z.string().trim().min(1).max(most);

/** What a model says with every call: for which project and session, what happened so far, and what the call is to achieve. */
export const callContext = z.strictObject({
  workspaceId: said(100).describe("project"),
  sessionId: said(200).describe("any name, kept for the task"),
  memory: said(4_000).describe("what happened so far"),
  goal: said(2_000).describe("what this call is for"),
  constraints: said(2_000).optional(),
});

/** Names that exist, for whoever names another. */
export type WorkspaceNames = () => Promise<readonly string[]>;

/**
 * The caller's intent.
 *
 * @throws ToolError `not_found` for a workspace that does not exist, with those that do
 */
export async function readIntent(context: z.output<typeof callContext>, names: WorkspaceNames): Promise<Intent> {
  const { workspaceId, sessionId, memory, goal, constraints } = context;
  const known = workspaceId === defaultWorkspace ? [defaultWorkspace] : await names();
  if (!known.includes(workspaceId)) {
    const near = closest(workspaceId, known);
    throw new ToolError(
      "not_found",
      `context.workspaceId: there is no workspace ${JSON.stringify(workspaceId)}${near === undefined ? "" : `, did you mean ${near}?`}`,
      `Workspaces: ${known.join(", ")}.`,
    );
  }
  const id = sessionIdOf(workspaceId, sessionId);
  return { workspaceId, sessionId: id, memory, goal, ...(constraints !== undefined && { constraints }) };
}

const idPattern = /^s-[0-9a-f]{10}$/;

/**
 * The id that a session's name has in its workspace: the same in every process, without any of them keeping it. An id that was given
 * out stands for itself.
 */
function sessionIdOf(workspace: string, name: string): string {
  if (idPattern.test(name)) return name;
  return `s-${createHash("sha256")
    .update(JSON.stringify([workspace, name]))
    .digest("hex")
    .slice(0, 10)}`;
}

import { createHash } from "node:crypto";
import { closest, defaultWorkspace, ToolError, type Intent, type Store } from "@toolpacks/core";
import { findLabelled, labelWorkspaces } from "@toolpacks/store";
import { z } from "zod";

const boundedText = (max: number) => z.string().trim().min(1).max(max);

/** What a model says with every call: its workspace and session, what happened so far, and the goal of the call. */
export const callContext = z.strictObject({
  workspaceId: boundedText(200).optional().describe("omit: this project"),
  sessionId: boundedText(200).describe("any name, kept for the task"),
  memory: boundedText(4_000).describe("what happened so far"),
  goal: boundedText(2_000).describe("what this call is for"),
  constraints: boundedText(2_000).optional(),
});

/** The ids of the workspaces that calls may name. */
export type WorkspaceIds = () => Promise<readonly string[]>;

/** The server's store, and the workspaces that calls may name. */
export interface Workspaces {
  readonly store: Store;
  readonly workspaces: WorkspaceIds;
}

/**
 * The caller's intent. The name of a workspace is replaced by its id.
 *
 * @throws ToolError `not_found` for an unknown workspace; `denied` for one that the server may not open
 */
export async function readIntent(
  context: z.output<typeof callContext>,
  workspaces: Workspaces,
  principal: string,
): Promise<Intent> {
  const { sessionId, memory, goal, constraints } = context;
  const workspaceId = await findWorkspaceId(workspaces, context.workspaceId);
  const id = sessionIdOf(sessionId, { workspaceId, principal });
  return { workspaceId, sessionId: id, memory, goal, constraints };
}

async function findWorkspaceId({ store, workspaces }: Workspaces, named: string | undefined): Promise<string> {
  const { workspace: own, allowedWorkspaces: allowed } = store;
  if (named === undefined || named === own) return own;
  // If no other workspace may be opened, `default` means the server's own.
  if (isAlone(store) && [defaultWorkspace, store.workspaceName(own)].includes(named)) return own;
  if (named === defaultWorkspace && (allowed === "all" || allowed.includes(named))) return named;
  const known = labelWorkspaces(store, isAlone(store) ? [own] : await workspaces());
  const id = findLabelled(known, named);
  if (id !== undefined) return id;
  // Throws `denied` for any other name: whether it exists is not revealed.
  store.in(named);
  const names = [...known.values()];
  const near = closest(named, names);
  throw new ToolError(
    "not_found",
    `context.workspaceId: there is no workspace ${JSON.stringify(named)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Workspaces: ${names.join(", ")}.`,
  );
}

/** Whether no other workspace may be opened. */
export function isAlone({ allowedWorkspaces: allowed }: Store): boolean {
  return allowed !== "all" && allowed.length === 1;
}

const idPattern = /^s-[0-9a-f]{10}$/;

/**
 * The id of a principal's session in a workspace. It is derived, so that every process computes the same id. The id alone gives access to nothing:
 * the records of a session are found by its id and its principal.
 */
function sessionIdOf(
  name: string,
  { workspaceId, principal }: { readonly workspaceId: string; readonly principal: string },
): string {
  if (idPattern.test(name)) return name;
  return `s-${createHash("sha256")
    .update(JSON.stringify([workspaceId, name, ...(principal === "" ? [] : [principal])]))
    .digest("hex")
    .slice(0, 10)}`;
}

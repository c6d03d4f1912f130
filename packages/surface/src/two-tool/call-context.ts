import { createHash } from "node:crypto";
import { closest, defaultWorkspace, ToolError, type Intent, type Store } from "@toolpacks/core";
import { findLabelled, labelWorkspaces } from "@toolpacks/core/store";
import { z } from "zod";

const said = (most: number) => z.string().trim().min(1).max(most);

/** What a model says with every call: for which project and session, what happened so far, and what the call is to achieve. */
export const callContext = z.strictObject({
  workspaceId: said(100).optional().describe("default: this project"),
  sessionId: said(200).describe("any name, kept for the task"),
  memory: said(4_000).describe("what happened so far"),
  goal: said(2_000).describe("what this call is for"),
  constraints: said(2_000).optional(),
});

/** Ids of the workspaces that exist and that calls may name. */
export type WorkspaceIds = () => Promise<readonly string[]>;

/** The server's store, and the workspaces that calls may name. */
export interface Workspaces {
  readonly store: Store;
  readonly workspaces: WorkspaceIds;
}

/**
 * The caller's intent, with the id of the workspace that it names.
 *
 * @throws ToolError `not_found` for a workspace that does not exist, with those that do; `denied` for one that the server may not open
 */
export async function readIntent(context: z.output<typeof callContext>, workspaces: Workspaces): Promise<Intent> {
  const { sessionId, memory, goal, constraints } = context;
  const workspaceId = await findWorkspaceId(workspaces, context.workspaceId);
  const id = sessionIdOf(workspaceId, sessionId);
  return { workspaceId, sessionId: id, memory, goal, ...(constraints !== undefined && { constraints }) };
}

async function findWorkspaceId({ store, workspaces }: Workspaces, named: string | undefined): Promise<string> {
  const { workspace: own, allowedWorkspaces: allowed } = store;
  if (named === undefined || named === own) return own;
  // Where no other may be opened, `default` can only mean the own one.
  const isAlone = allowed !== "all" && allowed.length === 1;
  if (isAlone && [defaultWorkspace, store.workspaceName(own)].includes(named)) return own;
  if (named === defaultWorkspace && (allowed === "all" || allowed.includes(named))) return named;
  const known = labelWorkspaces(store, isAlone ? [own] : await workspaces());
  const id = findLabelled(known, named);
  if (id !== undefined) return id;
  // Whether a workspace exists that may not be opened is not told.
  store.in(named);
  const names = [...known.values()];
  const near = closest(named, names);
  throw new ToolError(
    "not_found",
    `context.workspaceId: there is no workspace ${JSON.stringify(named)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Workspaces: ${names.join(", ")}.`,
  );
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

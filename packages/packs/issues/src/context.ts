import { principalName, ToolError, type Compaction, type Store, type ToolContext } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";
import type { IssueKind } from "./graph/draft.ts";

export interface IssuesContext {
  readonly store: Store;
  readonly kind: IssueKind;
  readonly compaction: Required<Compaction>;
  readonly actor: string | undefined;
  /** The directories in which files may be read and written. */
  readonly roots: Roots | undefined;
  readonly leaseMinutes: number;
}

export const actorHeader = "toolpacks-actor";

/**
 * The caller's name, from the call's arguments, its header, or its session. Undefined rather than a name that several sessions share. A principal is
 * known by its own name, and its agents by names inside it, such as `ann/claude-7f3a`, so that no principal can act as another.
 */
export function findActor(
  named: string | undefined,
  { context, call }: { readonly context: IssuesContext; readonly call: ToolContext },
): string | undefined {
  const agent = named ?? (call.header?.(actorHeader) || undefined);
  if (call.principal === "") return agent ?? context.actor;
  const own = principalName(call.principal);
  if (agent === undefined || agent === own || agent.startsWith(`${own}/`)) return agent ?? own;
  return `${own}/${agent}`;
}

/** @throws ToolError `invalid_input` if the caller's name is unknown */
export function requireActor(...args: Parameters<typeof findActor>): string {
  const actor = findActor(...args);
  if (actor !== undefined) return actor;
  // Agents take the suggestion, and two with one name could hold the same issue.
  const suggestion = `agent-${crypto.randomUUID().slice(0, 6)}`;
  throw new ToolError(
    "invalid_input",
    "actor: required: a name that no other agent uses",
    `Such as "${suggestion}", the same in all your calls.`,
  );
}

/** @throws ToolError `denied` if there are no roots */
export function requireRoots({ roots }: Pick<IssuesContext, "roots">): Roots {
  if (roots !== undefined) return roots;
  throw new ToolError("denied", "path: no root is given, so no file is reachable", "Start with --root <dir>.");
}

import { ToolError, type Compaction, type Store, type ToolContext } from "@toolpacks/core";
import type { Roots } from "@toolpacks/core/roots";
import type { IssueKind } from "./graph/stored-issues.ts";

/** What every tool of the pack is made with. */
export interface IssuesContext {
  readonly store: Store;
  readonly kind: IssueKind;
  readonly compaction: Required<Compaction>;
  /** Who calls, where the process serves one session. */
  readonly actor: string | undefined;
  /** Where files may be read and written. */
  readonly roots: Roots | undefined;
  /** Minutes that a claim holds. */
  readonly leaseMinutes: number;
}

/** The header by which a session over HTTP says who it is. */
export const actorHeader = "toolpacks-actor";

/** Who calls: as the call says, else its session. Never a name that several sessions would share. */
export function findActor(
  given: string | undefined,
  { context, call }: { readonly context: IssuesContext; readonly call: ToolContext },
): string | undefined {
  return given ?? (call.header?.(actorHeader) || undefined) ?? context.actor;
}

/** @throws ToolError `invalid_input` when nobody said who calls */
export function requireActor(...args: Parameters<typeof findActor>): string {
  const actor = findActor(...args);
  if (actor !== undefined) return actor;
  throw new ToolError("invalid_input", "actor: required: a name that no other agent uses", 'Such as "claude-7f3a".');
}

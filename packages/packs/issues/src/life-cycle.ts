import { closest, ToolError } from "@toolpacks/core";
import { isClosed, statuses, tombstone, utc, type Issue, type Status } from "./issue-record.ts";

/** The allowed transitions from each status. A closed issue must be reopened first. */
const transitions: Readonly<Record<Status, readonly Status[]>> = {
  open: ["in_progress", "blocked", "deferred", "closed"],
  in_progress: ["open", "blocked", "deferred", "closed"],
  blocked: ["open", "in_progress", "deferred", "closed"],
  deferred: ["open", "in_progress", "blocked", "closed"],
  closed: ["open"],
};

export interface StatusChange {
  readonly id: string;
  /** Undefined if the issue is new. */
  readonly before: Issue | undefined;
  readonly after: Issue;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/**
 * The state machine of an issue. Every change of an issue passes through it.
 *
 * @returns the issue with the fields that depend on its status
 * @throws ToolError `invalid_input` for an unknown status, `conflict` for a transition that is not allowed
 */
export function advance({ id, before, after, now }: StatusChange): Issue {
  if (before?.status !== after.status) checkTransition(id, before?.status, after.status);
  checkHolder(id, { before, after, now });
  const { closed_at, close_reason, lease_until, ...rest } = after;
  const times = { created_at: before?.created_at ?? after.created_at ?? now, updated_at: now };
  if (isClosed(after)) {
    const wasClosed = before !== undefined && isClosed(before);
    const at = wasClosed ? (closed_at ?? before.closed_at) : closed_at;
    return { ...rest, ...times, closed_at: at ?? now, ...(close_reason !== undefined && { close_reason }) };
  }
  const isHeld = after.status === "in_progress" && after.assignee !== undefined && lease_until !== undefined;
  return { ...rest, ...times, ...(isHeld && { lease_until: utc(lease_until) }) };
}

/** The holder of an issue's unexpired claim; undefined if there is none. */
export function holder(issue: Issue | undefined, now: string): string | undefined {
  if (issue?.status !== "in_progress" || issue.lease_until === undefined) return undefined;
  return utc(issue.lease_until) > now ? issue.assignee : undefined;
}

function checkTransition(id: string, from: string | undefined, to: string): void {
  const known = statuses.find((status) => status === to);
  if (known === undefined) {
    const near = closest(to, statuses);
    throw new ToolError(
      "invalid_input",
      `status: expected one of ${statuses.join(", ")}, received ${JSON.stringify(to)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    );
  }
  if (from === undefined) return;
  const here = statuses.find((status) => status === from);
  if (from === tombstone) throw new ToolError("conflict", `${id}: it was deleted, and stays so`, "Create a new issue.");
  if (here === undefined || transitions[here].includes(known)) return;
  throw new ToolError("conflict", `${id}: ${from} cannot become ${to}`, "Reopen it first: issue_reopen.");
}

/** Rejects a new assignee while another holder's claim has not expired. */
function checkHolder(id: string, { before, after, now }: Pick<StatusChange, "before" | "after" | "now">): void {
  const who = holder(before, now);
  if (who === undefined || after.status !== "in_progress") return;
  if (after.assignee === undefined || after.assignee === who) return;
  throw new ToolError(
    "conflict",
    `${id}: claimed by ${who} until ${before?.lease_until}`,
    "Take another one (issue_ready), or wait until it is released.",
  );
}

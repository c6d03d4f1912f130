import { closest, ToolError } from "@toolpacks/core";
import { isClosed, statuses, tombstone, utc, type Issue, type Status } from "./issue-record.ts";

/** Where each status may go. What is closed is reopened first. */
const transitions: Readonly<Record<Status, readonly Status[]>> = {
  open: ["in_progress", "blocked", "deferred", "closed"],
  in_progress: ["open", "blocked", "deferred", "closed"],
  blocked: ["open", "in_progress", "deferred", "closed"],
  deferred: ["open", "in_progress", "blocked", "closed"],
  closed: ["open"],
};

export interface Step {
  readonly id: string;
  /** Undefined when it is new. */
  readonly before: Issue | undefined;
  readonly after: Issue;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/**
 * The one state machine of an issue: whichever door a change comes by, it passes here.
 *
 * @returns the issue with the fields that follow from its status
 * @throws ToolError `invalid_input` for an unknown status, `conflict` for a way that is closed
 */
export function advance({ id, before, after, now }: Step): Issue {
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

/** Who holds a claim on an issue that has not run out; undefined when nobody does. */
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

/** A claim belongs to one: until it runs out, nobody else can be put in its holder's place. */
function checkHolder(id: string, { before, after, now }: Pick<Step, "before" | "after" | "now">): void {
  const who = holder(before, now);
  if (who === undefined || after.status !== "in_progress") return;
  if (after.assignee === undefined || after.assignee === who) return;
  throw new ToolError(
    "conflict",
    `${id}: claimed by ${who} until ${before?.lease_until}`,
    "Take another one (issue_ready), or wait until it is released.",
  );
}

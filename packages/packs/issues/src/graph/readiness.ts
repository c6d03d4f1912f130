import { isClosed, utc } from "../issue-record.ts";

/** What readiness looks at of one issue. */
export interface IssueFacts {
  readonly id: string;
  readonly status: string;
  readonly defer_until?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly ephemeral?: boolean | undefined;
}

/** An issue with those that block it by `blocks`; ones that do not exist are left out. */
export interface IssueWithBlockers extends IssueFacts {
  readonly blockers: readonly Pick<IssueFacts, "id" | "status">[];
}

/**
 * - `ready`: open, and nothing holds it back; `working`: the same, in progress
 * - `blocked`: by its status, by an open issue, or through an ancestor that is
 * - `deferred`: by its status, or through an ancestor's
 * - `aside`: pinned or ephemeral
 * - `other`: a status that the life cycle does not know
 */
export type State = "ready" | "working" | "blocked" | "deferred" | "aside" | "closed" | "other";

/** What can be said of an issue without a clock. */
export interface Readiness {
  readonly state: State;
  /** Ready or working from this time on; empty: at once. */
  readonly from: string;
  /** Open issues that block it directly. */
  readonly blockers: readonly string[];
  /** Ancestors that hold it back: blocked or deferred ones. */
  readonly under: readonly string[];
}

/**
 * The one definition of what may be worked on. An issue is ready when it is open, no open issue blocks it, no ancestor is
 * blocked or deferred, and it is neither pinned nor ephemeral; `from` then says since when. Closed issues and tombstones never
 * block and hold nothing back. Only `blocks` blocks, and only `parent-child` hands it down.
 *
 * @param ancestors every issue above it by `parent-child`, near or far
 */
export function readiness(issue: IssueWithBlockers, ancestors: readonly IssueWithBlockers[]): Readiness {
  if (isClosed(issue)) return { state: "closed", from: "", blockers: [], under: [] };
  const blockers = openOnes(issue);
  const above = ancestors.filter((ancestor) => !isClosed(ancestor));
  const blocked = above.filter(isBlocked);
  const deferred = above.filter(({ status }) => status === "deferred");
  const state = stateOf(issue, { blocked: blocked.length > 0, deferred: deferred.length > 0 });
  const times = [issue, ...above].map(({ defer_until: time }) => utc(time));
  const from = times.reduce((latest, time) => (time > latest ? time : latest), "");
  const under = [...new Set([...blocked, ...deferred].map(({ id }) => id))].sort();
  return { state, from, blockers, under };
}

function stateOf(issue: IssueWithBlockers, above: { readonly blocked: boolean; readonly deferred: boolean }): State {
  if (isBlocked(issue) || above.blocked) return "blocked";
  if (issue.pinned === true || issue.ephemeral === true) return "aside";
  if (issue.status === "deferred" || above.deferred) return "deferred";
  if (issue.status === "open") return "ready";
  return issue.status === "in_progress" ? "working" : "other";
}

function isBlocked(issue: IssueWithBlockers): boolean {
  return issue.status === "blocked" || openOnes(issue).length > 0;
}

function openOnes({ blockers }: IssueWithBlockers): readonly string[] {
  return blockers.filter((blocker) => !isClosed(blocker)).map(({ id }) => id);
}

/** Whether an issue is ready at a time (ISO 8601 in UTC). */
export function isReady({ state, from }: Pick<Readiness, "state" | "from">, now: string): boolean {
  return state === "ready" && from <= now;
}

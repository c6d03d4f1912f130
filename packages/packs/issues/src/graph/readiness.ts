import { gateTime, holdsBack, isClosed, isGate, utc, type Graph, type Holding, type Issue } from "../issue-record.ts";

export type IssueFacts = { readonly id: string } & Pick<Issue, "status" | "defer_until" | "pinned" | "ephemeral"> &
  Partial<Pick<Issue, "issue_type">>;

/** What holds an issue back directly. */
export interface Held {
  /** Ids of open issues that block it directly, and of issues whose children do. */
  readonly blockers: readonly string[];
  /** The time until which timer gates hold it back; empty: none does. */
  readonly until: string;
}

/** A `waits-for` dependency with what is known of the children. */
export interface WaitingFor {
  readonly on: string;
  /** Whether it ends when one child is closed. */
  readonly any: boolean;
  /** Whether a child holds back those that wait for it. */
  readonly hasOpen: boolean;
  /** Whether a child is closed. A deleted one does not count. */
  readonly hasClosed: boolean;
}

/**
 * The state of an issue.
 *
 * - `ready`: open, and neither blocked nor deferred by its status; `from` says from when. `working`: the same, but in progress
 * - `blocked`: by its status, by an open issue, or by a blocked ancestor
 * - `deferred`: by its status, or by a deferred ancestor
 * - `waiting`: an open gate
 * - `aside`: pinned or ephemeral
 * - `other`: a status that the life cycle does not know
 */
export type State = "ready" | "working" | "blocked" | "deferred" | "waiting" | "aside" | "closed" | "other";

/** The readiness of an issue, independent of the current time. */
export interface Readiness extends Held {
  readonly state: State;
  /** The time from which the issue is ready or working; empty: at once. */
  readonly from: string;
  /** Ids of blocked or deferred ancestors. */
  readonly under: readonly string[];
}

/** A readiness that is derived or stored. */
export type FoundReadiness = Pick<Graph, "state" | "from" | "until"> & Pick<Readiness, "blockers" | "under">;

/** The readiness of an issue before it is derived. */
export const initialReadiness = { state: "other", from: "", blockers: [], under: [] };

/**
 * The only definition of readiness. An issue is ready if it is open, no open issue blocks it, it waits for no children, no ancestor is blocked or
 * deferred, and it is neither a gate nor pinned nor ephemeral. `from` is the time from which this holds, after those of all timer gates. Closed issues and tombstones never block. An open issue
 * blocks by `blocks` and `conditional-blocks`. Open children of an issue block by `waits-for`. Only `parent-child` dependencies pass blocked and
 * deferred states to descendants.
 *
 * @param ancestors all ancestors by `parent-child`
 */
export function readiness(issue: IssueFacts & Held, ancestors: readonly (IssueFacts & Held)[]): Readiness {
  if (isClosed(issue)) return { state: "closed", from: "", blockers: [], until: "", under: [] };
  const { blockers, until } = issue;
  const above = ancestors.filter((ancestor) => !isClosed(ancestor));
  const blocked = above.filter(isBlocked);
  const deferred = above.filter(({ status }) => status === "deferred");
  const state = stateOf(issue, { blocked: blocked.length > 0, deferred: deferred.length > 0 });
  const from = latest([issue, ...above].flatMap((one) => [utc(one.defer_until), one.until]));
  const under = [...new Set([...blocked, ...deferred].map(({ id }) => id))].sort();
  return { state, from, blockers, until, under };
}

function latest(times: readonly string[]): string {
  return times.reduce((late, time) => (time > late ? time : late), "");
}

function stateOf(issue: IssueFacts & Held, above: { readonly blocked: boolean; readonly deferred: boolean }): State {
  if (isBlocked(issue) || above.blocked) return "blocked";
  if (issue.pinned === true || issue.ephemeral === true) return "aside";
  if (issue.status === "deferred" || above.deferred) return "deferred";
  if (issue.status === "open") return isGate(issue) ? "waiting" : "ready";
  return issue.status === "in_progress" ? "working" : "other";
}

function isBlocked({ status, blockers }: IssueFacts & Held): boolean {
  return status === "blocked" || blockers.length > 0;
}

/**
 * What holds an open issue back directly.
 *
 * @param issues existing issues that it depends on by `blocks` or `conditional-blocks`
 * @param waits its `waits-for` dependencies
 */
export function heldBy(issues: readonly (Holding & Pick<IssueFacts, "id">)[], waits: readonly WaitingFor[] = []): Held {
  const open = issues.filter(holdsBack).map(({ id }) => id);
  const parents = waits.filter(({ any, hasOpen, hasClosed }) => hasOpen && !(any && hasClosed)).map(({ on }) => on);
  const until = latest(issues.map((issue) => gateTime(issue) ?? ""));
  return { blockers: [...new Set([...open, ...parents])], until };
}

/** Whether an issue is ready at a time (ISO 8601 in UTC). */
export function isReady({ state, from }: { readonly state: string; readonly from: string }, now: string): boolean {
  return state === "ready" && from <= now;
}

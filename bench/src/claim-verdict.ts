/** A claim whose answer arrived. Times are in ms, by the clock of the server. */
export interface Claim {
  readonly id: string;
  readonly actor: string;
  readonly at: number;
  /** The end of the lease. */
  readonly until: number;
}

/** A closing whose answer arrived. */
export interface Closing {
  readonly id: string;
  readonly actor: string;
}

/** An issue as it is stored after the race. */
export interface FinalIssue {
  readonly id: string;
  /** In ms. Undefined: it is still open. */
  readonly closedAt: number | undefined;
  readonly blockers: readonly string[];
}

/** The ids of the issues, each in exactly one list. */
export interface Verdict {
  readonly once: readonly string[];
  /** Claimed again after the lease of a killed claimer. */
  readonly takenOver: readonly string[];
  /** Claimed during another's lease, claimed before a blocker was closed, or closed by two. */
  readonly twice: readonly string[];
  readonly lost: readonly string[];
}

export interface Race {
  readonly claims: readonly Claim[];
  readonly closings: readonly Closing[];
  readonly issues: readonly FinalIssue[];
}

/** Sorts the issues of a race by what happened to their claims. */
export function judge({ claims, closings, issues }: Race): Verdict {
  const claimsOf = Map.groupBy(claims, ({ id }) => id);
  const closersOf = Map.groupBy(closings, ({ id }) => id);
  const closedAt = new Map(issues.map((issue) => [issue.id, issue.closedAt]));
  const sorted = Map.groupBy(issues, ({ id, blockers }): keyof Verdict => {
    const held = (claimsOf.get(id) ?? []).toSorted((a, b) => a.at - b.at);
    const closers = new Set((closersOf.get(id) ?? []).map(({ actor }) => actor));
    const isHeldTwice = held.some(({ at }, index) => at < (held[index - 1]?.until ?? 0));
    const isEarly = held.some(({ at }) => blockers.some((blocker) => at < (closedAt.get(blocker) ?? Infinity)));
    if (isHeldTwice || isEarly || closers.size > 1) return "twice";
    if (closedAt.get(id) === undefined || held.length === 0) return "lost";
    return held.length === 1 ? "once" : "takenOver";
  });
  const ids = (part: keyof Verdict) => (sorted.get(part) ?? []).map(({ id }) => id);
  return { once: ids("once"), takenOver: ids("takenOver"), twice: ids("twice"), lost: ids("lost") };
}

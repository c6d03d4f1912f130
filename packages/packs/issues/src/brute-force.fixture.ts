import type { GeneratedIssue } from "./generate-issues.fixture.ts";

/**
 * Computes readiness as the documentation defines it, by walking the graph of a whole export. It shares no code with the pack.
 */
export function bruteForce(issues: readonly GeneratedIssue[], now: Date) {
  const byId = new Map(issues.map((issue) => [issue.id, issue]));
  const isClosed = (issue: GeneratedIssue) => issue.status === "closed" || issue.status === "tombstone";
  const targetIds = (issue: GeneratedIssue, type: string) =>
    (issue.dependencies ?? []).filter((dependency) => dependency.type === type).map(({ depends_on_id: id }) => id);
  const targets = (issue: GeneratedIssue, type: string) => targetIds(issue, type).flatMap((id) => byId.get(id) ?? []);
  const isTimer = (issue: GeneratedIssue) =>
    !isClosed(issue) &&
    issue["issue_type"] === "gate" &&
    issue["await_type"] === "timer" &&
    typeof issue["await_until"] === "string";
  const holds = (issue: GeneratedIssue) => !isClosed(issue) && issue.status !== "pinned" && !isTimer(issue);
  const waitsFor = (issue: GeneratedIssue) =>
    [...targets(issue, "blocks"), ...targets(issue, "conditional-blocks")].filter(holds);
  const parentsWaitedFor = (issue: GeneratedIssue) =>
    (issue.dependencies ?? []).flatMap(({ depends_on_id: on, type, metadata }) => {
      if (type !== "waits-for") return [];
      const children = issues.filter((one) => targetIds(one, "parent-child").includes(on));
      const isOver = metadata === '{"gate":"any-children"}' && children.some((child) => child.status === "closed");
      return children.some(holds) && !isOver ? [on] : [];
    });
  const isBlocked = (issue: GeneratedIssue) =>
    !isClosed(issue) &&
    (issue.status === "blocked" || waitsFor(issue).length > 0 || parentsWaitedFor(issue).length > 0);
  const ancestors = (issue: GeneratedIssue, seen = new Set<GeneratedIssue>()): Set<GeneratedIssue> => {
    for (const parent of targets(issue, "parent-child")) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      ancestors(parent, seen);
    }
    return seen;
  };
  const isFuture = (time: unknown) => typeof time === "string" && Date.parse(time) > now.getTime();
  const isLater = (issue: GeneratedIssue) =>
    !isClosed(issue) &&
    (isFuture(issue["defer_until"]) ||
      [...targets(issue, "blocks"), ...targets(issue, "conditional-blocks")].some(
        (gate) => isTimer(gate) && isFuture(gate["await_until"]),
      ));

  /** What blocks each blocked issue: open issues, and parents whose children it waits for. */
  const blocked = new Map<string, { readonly direct: ReadonlySet<string>; readonly all: ReadonlySet<string> }>();
  const ready = new Set<string>();
  for (const issue of issues) {
    if (isClosed(issue)) continue;
    const above = [...ancestors(issue)];
    const holding = above.filter(isBlocked);
    if (isBlocked(issue) || holding.length > 0) {
      const direct = new Set(waitsFor(issue).map(({ id }) => id));
      blocked.set(issue.id, { direct, all: new Set([...direct, ...parentsWaitedFor(issue)]) });
      continue;
    }
    const isDeferred = [issue, ...above].some((one) => isLater(one) || (!isClosed(one) && one.status === "deferred"));
    const isWork = issue["pinned"] !== true && issue["ephemeral"] !== true && issue["issue_type"] !== "gate";
    if (issue.status === "open" && !isDeferred && isWork) {
      ready.add(issue.id);
    }
  }
  return { ready, blocked };
}

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
  const holds = (issue: GeneratedIssue) => !isClosed(issue) && issue.status !== "pinned";
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
  const isLater = (issue: GeneratedIssue) =>
    !isClosed(issue) && typeof issue["defer_until"] === "string" && Date.parse(issue["defer_until"]) > now.getTime();

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
    if (issue.status === "open" && !isDeferred && issue["pinned"] !== true && issue["ephemeral"] !== true) {
      ready.add(issue.id);
    }
  }
  return { ready, blocked };
}

import type { GeneratedIssue } from "./generate-issues.fixture.ts";

/**
 * Computes readiness as the documentation defines it, by walking the graph of a whole export. It shares no code with the pack.
 */
export function bruteForce(issues: readonly GeneratedIssue[], now: Date) {
  const byId = new Map(issues.map((issue) => [issue.id, issue]));
  const isClosed = (issue: GeneratedIssue) => issue.status === "closed" || issue.status === "tombstone";
  const targets = (issue: GeneratedIssue, type: string) =>
    (issue.dependencies ?? [])
      .filter((dependency) => dependency.type === type)
      .flatMap(({ depends_on_id: id }) => byId.get(id) ?? []);
  const waitsFor = (issue: GeneratedIssue) => targets(issue, "blocks").filter((blocker) => !isClosed(blocker));
  const isBlocked = (issue: GeneratedIssue) =>
    !isClosed(issue) && (issue.status === "blocked" || waitsFor(issue).length > 0);
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

  const blocked = new Map<string, ReadonlySet<string>>();
  const ready = new Set<string>();
  for (const issue of issues) {
    if (isClosed(issue)) continue;
    const above = [...ancestors(issue)];
    const holding = above.filter(isBlocked);
    if (isBlocked(issue) || holding.length > 0) {
      blocked.set(issue.id, new Set(waitsFor(issue).map(({ id }) => id)));
      continue;
    }
    const isDeferred = [issue, ...above].some((one) => isLater(one) || (!isClosed(one) && one.status === "deferred"));
    if (issue.status === "open" && !isDeferred && issue["pinned"] !== true && issue["ephemeral"] !== true) {
      ready.add(issue.id);
    }
  }
  return { ready, blocked };
}

import dailyReview from "./daily-review.json" with { type: "json" };
import projectAudit from "./project-audit.json" with { type: "json" };

/** Workflows that come with the package, as a config file would say them. */
export const exampleWorkflows: Readonly<Record<string, unknown>> = {
  project_audit: projectAudit,
  daily_review: dailyReview,
};

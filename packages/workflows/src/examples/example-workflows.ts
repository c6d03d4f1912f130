import type { WorkflowSource } from "../definition/workflow-source.ts";
import dailyReview from "./daily-review.json" with { type: "json" };
import projectAudit from "./project-audit.json" with { type: "json" };

/** Defaults that a config file may leave out. */
const defaults = { expose: "none", onError: "stop" } as const;

/** Workflows that come with the package. */
export const exampleWorkflows: Readonly<Record<string, WorkflowSource>> = {
  project_audit: { ...defaults, ...projectAudit },
  daily_review: { ...defaults, ...dailyReview },
};

export { explain } from "./graph/explain.ts";
export { readiness } from "./graph/readiness.ts";
export { renderItem, type ListedIssue } from "./issue-item.ts";
export { exportIssues } from "./transfer/export-issues.ts";
export { importIssues } from "./transfer/import-issues.ts";

export { readBoard, type BoardColumn } from "./board.ts";
export { explain, type Explanation } from "./graph/explain.ts";
export {
  isReady,
  readiness,
  type IssueFacts,
  type IssueWithBlockers,
  type Readiness,
  type State,
} from "./graph/readiness.ts";
export { renderItem, type IssueItem } from "./issue-item.ts";
export { exportIssues } from "./transfer/export-issues.ts";
export { importIssues, type BadLine, type Imported, type ImportOptions } from "./transfer/import-issues.ts";

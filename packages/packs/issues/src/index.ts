export { issueKind, type IssueKindOptions } from "./issue-kind.ts";
export { issues } from "./issues.ts";

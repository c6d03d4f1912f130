export { generateIssues, type GeneratedIssue } from "./generate-issues.fixture.ts";

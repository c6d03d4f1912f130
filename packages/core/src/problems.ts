export { describeIssues } from "@toolpacks/schema";

export { stepProblems, type StepCheck } from "./definition/check-steps.ts";
export { createLibrary, type Library } from "./definition/library.ts";
export type { WorkflowSource } from "./definition/workflow-source.ts";
export { exampleWorkflows } from "./examples/example-workflows.ts";
export { reportKind } from "./report/report-kind.ts";
export { workflows } from "./workflows.ts";

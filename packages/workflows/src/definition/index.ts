export { workflowSource, workflowSources, type WorkflowSource } from "./workflow-source.ts";

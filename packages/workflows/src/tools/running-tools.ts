/** The tools that start runs, which no step may call: a workflow could lead back to itself. */
export const runningTools = /^workflow_(?!(?:list|report|steps)$)[a-z0-9_]+$/;

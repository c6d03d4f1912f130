/** The tools that start runs. Steps may not call them, since a workflow could call itself. */
export const runningTools = /^workflow_(?!(?:list|report|steps)$)[a-z0-9_]+$/;

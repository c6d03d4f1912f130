export { entity } from "./knowledge/entity.ts";
export { observation } from "./knowledge/observation.ts";
export { relation } from "./knowledge/relation.ts";
export { memory } from "./memory.ts";
export { state } from "./states/state.ts";
export { createTraces, type Traces, type TracesOptions } from "./traces/create-traces.ts";
export { trace } from "./traces/trace.ts";
export { workspaceNames } from "./workspaces/workspace-names.ts";
export { defaultWorkspace, workspace } from "./workspaces/workspace.ts";

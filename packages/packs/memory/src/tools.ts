import type { Tool } from "@toolpacks/core";
import { memoryBrief } from "./briefing/memory-brief.ts";
import { memoryForget } from "./knowledge/memory-forget.ts";
import { memoryGraph } from "./knowledge/memory-graph.ts";
import { memoryLink } from "./knowledge/memory-link.ts";
import { memoryRecall } from "./knowledge/memory-recall.ts";
import { memoryRemember } from "./knowledge/memory-remember.ts";
import type { MemoryContext } from "./memory-context.ts";
import { stateArchive } from "./states/state-archive.ts";
import { stateList } from "./states/state-list.ts";
import { stateLoad } from "./states/state-load.ts";
import { stateSave } from "./states/state-save.ts";
import { traceSearch } from "./traces/trace-search.ts";
import { traceTimeline } from "./traces/trace-timeline.ts";
import { workspaceArchive } from "./workspaces/workspace-archive.ts";
import { workspaceCreate } from "./workspaces/workspace-create.ts";
import { workspaceList } from "./workspaces/workspace-list.ts";
import { workspaceLoad } from "./workspaces/workspace-load.ts";
import { workspaceUpdate } from "./workspaces/workspace-update.ts";

export function createTools(context: MemoryContext): readonly Tool[] {
  const tools = [
    memoryBrief,
    memoryRemember,
    memoryRecall,
    memoryForget,
    memoryLink,
    memoryGraph,
    workspaceCreate,
    workspaceList,
    workspaceLoad,
    workspaceUpdate,
    workspaceArchive,
    stateSave,
    stateList,
    stateLoad,
    stateArchive,
    ...(context.traces === undefined ? [] : [traceSearch, traceTimeline]),
  ];
  return tools.map((tool) => tool(context));
}

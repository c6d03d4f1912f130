import { coreFacet, definePack, type Catalog, type Dispatcher, type Pack, type Tool } from "@toolpacks/core";
import type { ToolFinderOptions } from "./search/tool-finder.ts";
import { toolDescribe } from "./tool-describe.ts";
import { toolInvoke, toolRead } from "./tool-invoke.ts";
import { toolSearch } from "./tool-search.ts";

/** Creates the pack of the discovery tools over a catalog. They are listed, and they do not find or invoke each other. */
export function coreTools(catalog: Catalog, dispatcher: Dispatcher, search: ToolFinderOptions): Pack {
  return definePack({
    name: coreFacet,
    description: "Finds, describes and calls the tools of every mounted pack.",
    budget: 420,
    tools() {
      const tools: readonly Tool[] = [
        toolSearch(catalog, search),
        toolDescribe(catalog, () => tools),
        toolRead(catalog, dispatcher),
        toolInvoke(catalog, dispatcher),
      ];
      return tools;
    },
  })();
}

import { definePack, type Catalog, type Dispatcher, type Pack } from "@toolpacks/core";
import type { ToolFinderOptions } from "./search/tool-finder.ts";
import { toolDescribe } from "./tool-describe.ts";
import { toolInvoke, toolRead } from "./tool-invoke.ts";
import { toolSearch } from "./tool-search.ts";

/** The facet of the entries that lead to every other tool. */
export const coreFacet = "core";

/** The discovery entries over a catalog, as a pack of their own. They are listed, and never found or invoked by one another. */
export function coreTools(catalog: Catalog, dispatcher: Dispatcher, search: ToolFinderOptions): Pack {
  return definePack({
    name: coreFacet,
    description: "Finds, describes and calls the tools of every mounted pack.",
    budget: 420,
    tools: () => [
      toolSearch(catalog, search),
      toolDescribe(catalog),
      toolRead(catalog, dispatcher),
      toolInvoke(catalog, dispatcher),
    ],
  })();
}

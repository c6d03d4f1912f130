import type { Filter, Query, ToolContext } from "@toolpacks/core";

/** The query for traces of the caller alone. The local user may read the traces of all principals, but a briefing is about its own work. */
export function ownTraces({ principal }: ToolContext, filter: Filter): Pick<Query, "filter" | "caller"> {
  if (principal !== "") return { filter, caller: principal };
  return { filter: { and: [filter, { caller: { exists: false } }] } };
}

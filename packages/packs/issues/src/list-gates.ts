import { quoteName } from "@toolpacks/core";
import type { IssuesContext } from "./context.ts";
import { describeWait } from "./gate.ts";
import { gateTime } from "./issue-record.ts";

const maxNamed = 5;

/** Describes the gates that hold issues back now, one line each, and how many more there are. Empty: none does. */
export async function describeGates(
  { store, kind }: Pick<IssuesContext, "store" | "kind">,
  now: string,
): Promise<string> {
  const query = { filter: { "graph.state": "waiting" }, sort: ["priority"], limit: maxNamed * 2 };
  const { items, total } = await store.query(kind, query);
  const open = items.filter(({ data }) => (gateTime(data) ?? now) >= now);
  if (open.length === 0) return "";
  const lines = open.slice(0, maxNamed).map(({ id, data }) => {
    const held = data.graph?.dependents ?? 0;
    return `${quoteName(id)} waits ${quoteName(describeWait(data, now))}: ${quoteName(data.title)} (${held} ${held === 1 ? "depends" : "depend"} on it)`;
  });
  const more = total - (items.length - open.length) - lines.length;
  return [
    "Gates, to be closed with the answer as the reason:",
    ...lines,
    ...(more > 0 ? [`(and ${more} more: issue_list {"where": {"issue_type": "gate"}})`] : []),
  ].join("\n");
}

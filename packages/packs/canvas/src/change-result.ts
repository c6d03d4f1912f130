import { visibleText, quoteName } from "@toolpacks/core";
import { z } from "zod";
import type { ChangedCanvas } from "./changed-canvas.ts";

const ids = z.array(z.string());

export const changeOutput = z.object({
  path: z.string(),
  added: ids.optional().describe("ids of new nodes and edges"),
  disconnected: ids.optional().describe("edges of removed nodes"),
  grown: ids.optional().describe("groups that became larger"),
});

/** The result of a change, without empty lists. */
export function changeResult(path: string, changed: ChangedCanvas): z.input<typeof changeOutput> {
  const lists = { added: changed.added, disconnected: changed.disconnected, grown: changed.grown };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { path, ...Object.fromEntries(filled.map(([name, list]) => [name, [...list]])) };
}

export function renderChange(done: string, { path, ...lists }: z.output<typeof changeOutput>): string {
  const parts = Object.entries(lists).map(
    ([name, list]) => `; ${name}: ${(list ?? []).map((id) => visibleText(id)).join(", ")}`,
  );
  return `${done} ${quoteName(path)}${parts.join("")}`;
}

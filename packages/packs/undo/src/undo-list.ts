import nodePath from "node:path";
import { defineTool, detail, listSchema, renderList } from "@toolpacks/core";
import { z } from "zod";
import type { OpenUndo } from "./open-undo.ts";
import { changesOf, pathsOf, shownChanges, type KeptEntry } from "./entry.ts";
import { createHistory, matches } from "./history.ts";

const text = z.string().min(1).max(1_000).optional();
const input = z.object({
  session: text.describe("its id, or this"),
  agent: text.meta(detail("its name")),
  since: z.iso.datetime({ offset: true }).optional().meta(detail("a time")),
  path: text.meta(detail("a file or folder")),
  tool: text.meta(detail("its name, also without its pack")),
  unit: text.meta(detail("a batch's id")),
  undone: z.boolean().optional().meta(detail("also calls that were taken back, and undos")),
  limit: z.int().min(1).max(200).optional().meta(detail("default 20")),
});

const fact = z.string().optional();
const item = z.object({
  call: z.string(),
  unit: fact.describe("the batch, workflow or script that it belongs to"),
  run: fact,
  tool: z.string(),
  at: z.string(),
  session: fact,
  agent: fact,
  changes: z.array(z.string()),
  undone: fact.describe("the call that took it back"),
});

/** `undo_list`: shows which calls changed what. Default: only those whose changes still stand. */
export function undoList(open: () => Promise<OpenUndo>) {
  return defineTool({
    name: "undo_list",
    description: "List calls whose changes of files or records stand, newest first.",
    keywords: ["history", "changes", "what was changed", "who changed", "recent edits"],
    examples: [{ say: "what changed in src?", args: { session: "this", path: "src" } }],
    mutates: false,
    input,
    output: listSchema(item),
    text: (list) => renderList(list, renderItem),
    async handler({ limit = 20, path, tool, undone: showsUndone = false, ...wanted }, context) {
      const { log, show, isVisible, sessionOf } = await open();
      const selection = { ...wanted, session: sessionOf(wanted.session, context) };
      const folder = nodePath.join(path ?? ".", ".");
      const isInside = (at: string) =>
        at === folder || at.startsWith(`${folder}/`) || (folder === "." && !nodePath.isAbsolute(at));
      const isWanted = (entry: KeptEntry) =>
        entry.running === undefined &&
        isVisible(entry, context) &&
        matches(entry, selection) &&
        (tool === undefined || `_${entry.tool}`.endsWith(`_${tool}`)) &&
        (path === undefined || pathsOf(entry).some((one) => isInside(one) || isInside(show(one))));
      const history = createHistory();
      const items = new Map<string, z.output<typeof item>>();
      const calls = new Set<string>();
      const hints: string[] = [];
      for await (const entry of log.newestFirst()) {
        history.add(entry);
        const { call, unit, undoes, isPartial = false, ...facts } = entry;
        const undone = history.takenBy(entry.id)?.call;
        const stands = undone === undefined && (undoes === undefined || isPartial);
        if (!isWanted(entry) || !(stands || showsUndone)) continue;
        calls.add(call);
        if (!items.has(call) && items.size === limit) continue;
        const changes = [...changesOf(entry, show), ...(items.get(call)?.changes ?? [])];
        items.set(call, item.parse({ ...facts, call, unit: unit === call ? undefined : unit, changes, undone }));
      }
      if (calls.size > items.size) hints.push("For older calls, raise the limit, or name a session, tool or path.");
      const dropped = await log.dropped();
      if (dropped) hints.push(`${dropped.count} older changes, until ${dropped.until}, were dropped.`);
      return { items: [...items.values()], total: calls.size, hint: hints.join(" ") || undefined };
    },
  });
}

function renderItem({ call, tool, at, changes, ...facts }: z.output<typeof item>): string {
  const { unit, session, agent, undone } = facts;
  const more = [unit && `unit ${unit}`, session && `session ${session}`, agent, undone && `taken back by ${undone}`];
  const about = more.filter(Boolean).join(", ");
  return `${call} ${at} ${tool}: ${shownChanges(changes)}${about && ` (${about})`}`;
}

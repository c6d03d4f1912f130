import { defineTool, detail, listSchema, renderList, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import type { Undo } from "./create-undo.ts";
import { changesOf, type KeptEntry } from "./entry.ts";
import { isVisible, takenBack } from "./select-entries.ts";

const text = z.string().min(1).max(1_000).optional();

const input = z.object({
  session: text.describe("its id; this: this session"),
  agent: text.meta(detail("its name")),
  since: z.iso.datetime().optional().meta(detail("a time")),
  path: text.meta(detail("a file, or a folder with all below it")),
  tool: text.meta(detail("its name")),
  unit: text.meta(detail("id of a batch, workflow or script")),
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
const output = listSchema(item);

/** `undo_list`: shows which calls changed what. */
export function undoList(undo: Undo) {
  return defineTool({
    name: "undo_list",
    description: "List calls that changed files or records.",
    keywords: ["history", "changes", "what was changed", "who changed", "recent edits"],
    examples: [{ say: "what did this session change in src?", args: { session: "this", path: "src" } }],
    mutates: false,
    input,
    output,
    text: (list) => renderList(list, renderItem),
    async handler({ limit = 20, ...wanted }, context) {
      const { log, show } = await undo.open();
      const session =
        wanted.session === "this" ? (undo.factsOf({ tool: { name: "" }, context }).session ?? "") : wanted.session;
      const taken = new Map<string, KeptEntry>();
      const items = new Map<string, z.output<typeof item>>();
      let hasMore = false;
      for await (const entry of log.newestFirst()) {
        takenBack([entry], taken);
        if (!isWanted(entry, { ...wanted, session }, { context, show })) continue;
        const known = items.get(entry.call);
        hasMore = known === undefined && items.size === limit;
        if (hasMore) break;
        const { call, unit, run, tool, at, agent } = entry;
        const facts = { call, unit: unit === call ? undefined : unit, run, tool, at, session: entry.session, agent };
        const changes = [...changesOf(entry, show), ...(known?.changes ?? [])];
        items.set(call, { ...facts, changes, undone: taken.get(entry.id)?.call });
      }
      const dropped = await log.dropped();
      const hints = [
        ...(hasMore ? ["There are older calls: raise the limit, or name a session, tool or path."] : []),
        ...(dropped === undefined ? [] : [`${dropped.count} older changes, until ${dropped.until}, were dropped.`]),
      ];
      return { items: [...items.values()], total: items.size, hint: hints.join(" ") || undefined };
    },
  });
}

interface Viewer {
  readonly context: ToolContext;
  readonly show: (real: string) => string;
}

function isWanted(entry: KeptEntry, wanted: Omit<z.output<typeof input>, "limit">, { context, show }: Viewer): boolean {
  const { since, path, ...facts } = wanted;
  const isInside = (at: string) => at === path || at.startsWith(`${path}/`);
  return (
    isVisible(entry, context) &&
    (["session", "agent", "tool", "unit"] as const).every(
      (name) => facts[name] === undefined || facts[name] === entry[name],
    ) &&
    (since === undefined || entry.at > since) &&
    (path === undefined || entry.files?.some((change) => isInside(change.path) || isInside(show(change.path))) === true)
  );
}

function renderItem({ call, tool, at, changes, ...facts }: z.output<typeof item>): string {
  const { unit, session, agent, undone } = facts;
  const shown = changes.length > 5 ? [...changes.slice(0, 5), `${changes.length - 5} more`] : changes;
  const more = [
    unit && `unit ${unit}`,
    session && `session ${session}`,
    agent,
    undone && `taken back by ${undone}`,
  ].filter(Boolean);
  return `${call} ${at.slice(0, 19)} ${tool}: ${shown.join(", ")}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

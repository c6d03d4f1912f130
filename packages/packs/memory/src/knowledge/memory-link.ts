import { defineTool, quoteName, detail, type Store, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { ensureRecord } from "../ensure-record.ts";
import { entityName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { knownEntity } from "./known-entity.ts";
import { relation, relationId } from "./relation.ts";

const input = z.object({
  from: entityName.meta(detail("an entity")),
  type: z.string().min(1).max(200).meta(detail("in active voice: owns, depends on")),
  to: entityName.meta(detail("an entity")),
  remove: z.boolean().optional().meta(detail("they no longer stand so")),
});

const output = z.object({
  from: z.string(),
  type: z.string(),
  to: z.string(),
  done: z.enum(["linked", "was linked", "removed", "was not linked"]),
});

type Link = z.output<typeof output>;

export function memoryLink({ store }: MemoryContext): Tool {
  return defineTool({
    name: "memory_link",
    description: "Relate two entities.",
    keywords: ["relation", "edge", "connect", "create relation", "unlink", "depends on"],
    examples: [{ say: "Anna owns billing", args: { from: "Anna", type: "owns", to: "billing-api" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input,
    output,
    text: ({ from, type, to, done }) => `${done}: ${[from, type, to].map(quoteName).join(" ")}`,
    handler: ({ remove = false, ...link }) => store.transaction((inside) => relate(inside, link, remove)),
  });
}

async function relate(store: Store, link: Omit<Link, "done">, remove: boolean): Promise<Link> {
  const from = await knownEntity(store, link.from, { field: "from" });
  const to = await knownEntity(store, link.to, { field: "to" });
  const named = { from, type: link.type, to };
  const id = relationId(named);
  const before = remove ? await store.get(relation, id) : await ensureRecord(store, relation, { id, record: named });
  const wasLinked = before !== undefined && !before.closed;
  if (!remove) return { ...named, done: wasLinked ? "was linked" : "linked" };
  if (wasLinked) await store.close(relation, id);
  return { ...named, done: wasLinked ? "removed" : "was not linked" };
}

import { defineTool, detail, quoteName, ToolError, type Store, type Tool } from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";
import { episode } from "../episodes/episode.ts";
import { entityName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { entity } from "./entity.ts";
import { entityId } from "./entity-record.ts";
import { knownEntity } from "./known-entity.ts";
import { observation } from "./observation.ts";

const input = z.object({
  id: z.string().min(1).max(maxIdLength).optional().meta(detail("an observation's, or an episode's")),
  entity: entityName.optional().meta(detail("with all that is known of it alone")),
  permanent: z.boolean().optional().meta(detail("delete it for good")),
  note: z.string().max(10_000).optional().meta(detail("why")),
});

const output = z.object({ forgotten: z.string(), permanent: z.boolean() });

export function memoryForget({ store }: MemoryContext): Tool {
  return defineTool({
    name: "memory_forget",
    description: "Forget an observation or entity.",
    keywords: ["delete", "remove", "erase", "delete entity", "wrong"],
    examples: [
      { args: { id: "2rvl5rgoszxthgai", note: "it was a guess" } },
      { args: { entity: "Anna", permanent: true } },
    ],
    mutates: true,
    effects: { idempotent: true, records: true },
    input,
    output,
    text: ({ forgotten, permanent }) => `forgotten${permanent ? " for good" : ""}: ${quoteName(forgotten)}`,
    handler: async (request) => {
      if ((request.id === undefined) === (request.entity === undefined)) {
        throw new ToolError("invalid_input", "id: expected either id or entity", "memory_recall answers ids.");
      }
      return store.transaction((transaction) => forget(transaction, request));
    },
  });
}

async function forget(store: Store, { id = "", entity: name, permanent = false, note }: z.output<typeof input>) {
  const known = name === undefined ? await findById(store, id) : await findByName(store, name, permanent);
  if (permanent) await store.delete(known.kind, known.id);
  else await store.close(known.kind, known.id, note);
  return { forgotten: known.label, permanent };
}

async function findByName(store: Store, name: string, permanent: boolean) {
  const id = entityId(name);
  const found = await store.get(entity, id);
  // A closed entity can still be deleted permanently.
  if (found !== undefined && permanent) return { kind: entity, id, label: found.data.name };
  const hint = "memory_recall finds the observations that name it.";
  return { kind: entity, id, label: await knownEntity(store, name, { field: "entity", hint }) };
}

async function findById(store: Store, id: string) {
  if ((await store.get(observation, id)) !== undefined) return { kind: observation, id, label: id };
  // The id of an episode's part ends with its number.
  const [whole = ""] = id.split(".");
  if ((await store.get(episode, whole)) !== undefined) return { kind: episode, id: whole, label: whole };
  const problem = `id: there is no observation or episode ${quoteName(id)}`;
  throw new ToolError("not_found", problem, "memory_recall answers ids.");
}

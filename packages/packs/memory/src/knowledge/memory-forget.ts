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

/** `memory_forget`: closes an observation or an entity, or deletes it for good. */
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
    effects: { idempotent: true },
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

async function forget(store: Store, { id, entity: name, permanent = false, note }: z.output<typeof input>) {
  if (name !== undefined) {
    const found = await store.get(entity, entityId(name));
    // A closed entity can still be deleted permanently.
    const known =
      found !== undefined && permanent
        ? found.data.name
        : await knownEntity(store, name, {
            field: "entity",
            hint: "memory_recall finds the observations that name it.",
          });
    if (permanent) await store.delete(entity, entityId(name));
    else await store.close(entity, entityId(name), note);
    return { forgotten: known, permanent };
  }
  // The id of an episode's part ends with its number.
  const kind = (await store.get(observation, id ?? "")) === undefined ? episode : observation;
  const found = await store.get(kind, kind === episode ? (id?.split(".")[0] ?? "") : (id ?? ""));
  if (found === undefined) {
    throw new ToolError(
      "not_found",
      `id: there is no observation or episode ${quoteName(id ?? "")}`,
      "memory_recall answers ids.",
    );
  }
  if (permanent) await store.delete(kind, found.id);
  else await store.close(kind, found.id, note);
  return { forgotten: found.id, permanent };
}

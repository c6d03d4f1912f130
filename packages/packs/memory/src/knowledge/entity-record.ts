import { defineKind, type KindDefinition } from "@toolpacks/core";
import { z } from "zod";

/** The entity kind without its rule. The rules of other kinds use it: their store runs no rules. */
export const entityRecord = defineKind(entityDefinition());

/** The definition of the entity kind without its rule. */
export function entityDefinition() {
  return {
    name: "entity",
    description: "Something that observations are about: a person, a service, a decision.",
    schema: () =>
      z.object({
        name: z.string().min(1).max(200),
        type: z.string().min(1).max(200).optional().describe("person, service, decision, …"),
        tags: z.array(z.string().min(1).max(200)).max(50).optional(),
      }),
    indexes: ["type", "tags"],
    text: ["name", "type", "tags"],
    keywords: ["node", "concept", "thing", "person"],
    examples: [{ name: "Anna Lindqvist", type: "person", tags: ["billing"] }],
  } satisfies KindDefinition<z.ZodObject>;
}

import { defineKind, type KindDefinition } from "@toolpacks/core";
import { z } from "zod";

/** An entity without its rule: what the rules of other kinds read and write, in whose store no rules run. */
export const entityRecord = defineKind(entityDefinition());

/** An entity but for its rule. */
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

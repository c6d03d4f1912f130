import { createHash } from "node:crypto";
import { defineKind, ToolError, type KindDefinition } from "@toolpacks/core";
import { isRecordId } from "@toolpacks/store";
import { z } from "zod";

/** The entity kind without its rule. The rules of other kinds use it: their store runs no rules. */
export const entityRecord = defineKind(entityDefinition());

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

/**
 * The id of the entity with this name: the name in lower case, with Unicode width and spaces normalized. So names that differ only in these
 * have the same id. A name that is not a valid id gets a digest as its id.
 *
 * @throws ToolError `invalid_input` if the name has only spaces
 */
export function entityId(name: string): string {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (folded === "") throw new ToolError("invalid_input", "name: expected more than spaces");
  if (isRecordId(folded)) return folded;
  return `name-${createHash("sha256").update(folded).digest("base64url")}`;
}

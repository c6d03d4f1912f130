import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** The secret of a scope's ids. No pack declares these kinds, so no tool reads them. */
export const relayScope = defineKind({
  name: "relay_scope",
  description: "What the ids of a scope's values are made with.",
  schema: () => z.object({ secret: z.string().max(100) }),
});

/** The metadata of a stored value. */
export const relayValue = defineKind({
  name: "relay_value",
  description: "A value that is kept out of the conversation.",
  schema: () =>
    z.object({
      scope: z.string().max(100),
      mimeType: z.string().max(200),
      text: z.boolean(),
      size: z.int(),
      characters: z.int(),
      lines: z.int(),
      at: z.number().describe("when it was last put, in milliseconds since 1970"),
      parts: z.string().max(100).describe("what the ids of its parts begin with"),
      finished: z.boolean(),
    }),
  indexes: ["at"],
});

/** A piece of a value's bytes. */
export const relayPart = defineKind({
  name: "relay_part",
  description: "A piece of a kept value.",
  schema: () => z.object({ bytes: z.string().describe("in base64") }),
});

/** Bytes of a value in one part. The last part may be shorter. */
export const partSize = 512 * 1024;

export function partId(parts: string, number: number): string {
  return `${parts}:${number}`;
}

import { z } from "zod";

/** A line of the official memory server's file. Unknown fields are accepted, as that server accepts them. */
export const graphLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("entity"),
    name: z.string().min(1).max(200),
    entityType: z.string().max(200),
    observations: z.array(z.string()),
  }),
  z.object({
    type: z.literal("relation"),
    from: z.string().min(1).max(200),
    to: z.string().min(1).max(200),
    relationType: z.string().min(1).max(200),
  }),
]);

export type GraphLine = z.output<typeof graphLine>;

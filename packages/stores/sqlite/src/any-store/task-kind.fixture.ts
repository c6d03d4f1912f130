import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** A kind with a field of each indexable type, and some fields without an index. */
export const task = defineKind({
  name: "contract_task",
  schema: z.object({
    title: z.string().max(2_000_000),
    body: z.string().optional(),
    status: z.string().default("open"),
    priority: z.number().optional(),
    done: z.boolean().optional(),
    labels: z.array(z.string()).optional(),
    scores: z.array(z.number()).optional(),
    owner: z.object({ name: z.string().optional(), team: z.string().optional() }).optional(),
    due: z.string().nullable().optional(),
    'it\'s "odd"': z.string().optional(),
    select: z.string().optional(),
    extra: z.unknown().optional(),
    note: z.string().optional(),
  }),
  indexes: [
    "status",
    "priority",
    "done",
    "labels",
    "scores",
    "owner.name",
    "due",
    'it\'s "odd"',
    "select",
    ["status", "priority"],
  ],
  text: ["title", "body", "labels"],
  summary: ["title", "status"],
  close: (_record, { note }) => ({ status: "closed", ...(note !== undefined && { note }) }),
});

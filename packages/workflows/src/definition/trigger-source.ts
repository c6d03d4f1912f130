import { z } from "zod";

const text = z.string().min(1).max(500).optional();

/** When a workflow starts by itself. */
export const triggerSource = z
  .strictObject({
    at: text.describe("RRULE: FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"),
    zone: text.describe("time zone of at; default UTC"),
    start: text.describe("first time of at; default 2026-01-01T00:00:00"),
    kind: text.describe("a kind of record, whose changes start runs"),
    filter: z.record(z.string(), z.unknown()).optional().describe("of the changed records, as in store_query"),
    input: z.record(z.string(), z.unknown()).optional().describe("of the run, beside event"),
  })
  .refine(({ at, kind }) => (at === undefined) !== (kind === undefined), "expected either at or kind");

export type TriggerSource = Readonly<z.output<typeof triggerSource>>;

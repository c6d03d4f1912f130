import { z } from "zod";
import type { Kind, Stored } from "../store.ts";
import { renderRecord, summarize } from "./record-line.ts";

/** The result of a tool that wrote a record. */
export const writtenRecord = z.object({
  kind: z.string(),
  id: z.string(),
  generation: z.int(),
  closed: z.boolean(),
  record: z.record(z.string(), z.unknown()).describe("the kind's summary fields"),
});

export function describeWritten(kind: Kind, { id, generation, closed, data }: Stored): z.input<typeof writtenRecord> {
  return { kind: kind.name, id, generation, closed, record: summarize(kind, data) };
}

export function renderWritten({ kind, id, generation, closed, record }: z.output<typeof writtenRecord>): string {
  return `${kind} ${renderRecord({ id, ...record })}${closed ? " (closed)" : ""}, generation ${generation}`;
}

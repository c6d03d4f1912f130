import { z } from "zod";
import { todayText, type Kind, type Stored } from "@toolpacks/core";
import { renderRecord, summarize } from "./record-line.ts";

/** The result of a tool that wrote a record. */
export const writtenRecord = z.object({
  kind: z.string(),
  id: z.string(),
  generation: z.int(),
  closed: z.boolean(),
  record: z.record(z.string(), z.unknown()).describe("the kind's summary fields"),
  today: z.string().optional().describe("of a kind whose records recur"),
});

export function describeWritten(kind: Kind, { id, generation, closed, data }: Stored): z.input<typeof writtenRecord> {
  const today = kind.recurring && { today: todayText() };
  return { kind: kind.name, id, generation, closed, record: summarize(kind, data), ...today };
}

export function renderWritten({ kind, id, generation, closed, record, today }: z.output<typeof writtenRecord>): string {
  const line = `${kind} ${renderRecord({ id, ...record })}${closed ? " (closed)" : ""}, generation ${generation}`;
  return today === undefined ? line : `${line}; ${today}`;
}

import { defineKind, ToolError, type Change, type Ruling } from "@toolpacks/core";
import { z } from "zod";

const error = "expected a date, or an ISO 8601 time with its zone: 2027-01-31T09:00:00Z";
const moment = z.union([z.iso.datetime({ offset: true, error }), z.iso.date({ error })]);

const schema = z.object({
  text: z.string().min(1).max(10_000),
  due: moment.describe("2027-01-31T09:00:00Z, or a date"),
  repeat: z.string().min(1).max(500).optional().describe("RRULE: FREQ=WEEKLY;BYDAY=MO"),
  start: moment.optional().describe("of a series: its first due; default due"),
  done: z.string().max(40).optional().describe("set by closing: when"),
  note: z.string().max(10_000).optional().describe("set by closing"),
  next: z.string().max(200).optional().describe("set by closing: the id of the next one of a series"),
});

type Reminder = z.output<typeof schema>;

/**
 * Something to be reminded of. Closing one that repeats puts the next one of the series, due at its first time from now on; the closed one
 * names it. Recurrence is that of RFC 5545, by days or longer, and reckoned in UTC.
 */
export const reminder = defineKind({
  name: "reminder",
  description: "Something to be reminded of, once or again and again.",
  schema,
  indexes: ["due"],
  text: ["text", "note"],
  summary: ["text", "due", "repeat", "next"],
  close: (_record, { now, note }) => ({ done: now, ...(note !== undefined && { note }) }),
  rule,
  aliases: { put: ["reminder_add"], query: ["reminder_list"], close: ["reminder_done"] },
  keywords: ["remind me", "todo", "task", "due date", "deadline"],
  examples: [{ text: "Water the plants", due: "2027-01-04T08:00:00Z", repeat: "FREQ=WEEKLY;BYDAY=MO,TH" }],
});

async function rule(change: Change<Reminder>): Promise<Ruling<Reminder> | void> {
  const { operation, after } = change;
  if (operation === "put") return { record: await normalize(after, change.before?.data) };
  if (operation !== "close" || after.repeat === undefined) return undefined;
  const { nextOccurrence } = await import("./recurrence.ts");
  const due = nextOccurrence({ start: after.start ?? after.due, repeat: after.repeat }, latest(after.due, change.now));
  if (due === undefined) return undefined;
  const next = nextId(change.id);
  // After a reopening it is there already, and may have been changed.
  if ((await change.store.get(reminder, next)) === undefined) {
    const { text, repeat, start = after.due } = after;
    await change.store.put(reminder, { text, due, repeat, start }, { id: next });
  }
  return { record: { ...after, next } };
}

/** Times are kept in one form, so that they sort as they follow one another. */
async function normalize(record: Reminder, before: Reminder | undefined): Promise<Reminder> {
  const { repeat } = record;
  const due = canonical(record.due);
  if (repeat === undefined) return { ...record, due };
  const { checkRecurrence } = await import("./recurrence.ts");
  const problem = checkRecurrence(repeat);
  if (problem !== undefined)
    throw new ToolError("invalid_input", `repeat: ${problem}`, "Such as FREQ=WEEKLY;BYDAY=MO.");
  // Whoever moves the due time of a series moves what follows too.
  const isMoved = before !== undefined && before.due !== due && before.start === record.start;
  return { ...record, due, start: isMoved ? due : canonical(record.start ?? due) };
}

function canonical(time: string): string {
  return time.length === "2027-01-31".length ? time : new Date(time).toISOString();
}

function latest(due: string, now: string): string {
  return due > now ? due : now;
}

/** The second of a series is the first one's id with `.2`. */
function nextId(id: string): string {
  const match = /^(.*)\.(\d{1,9})$/.exec(id);
  return match === null ? `${id}.2` : `${match[1]}.${Number(match[2]) + 1}`;
}

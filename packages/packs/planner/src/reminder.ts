import { defineKind, ToolError, type Change, type Ruling, type Stored } from "@toolpacks/core";
import { isRecordId, maxIdLength } from "@toolpacks/store";
import { z } from "zod";

const error = "expected a date, or an ISO 8601 time with its zone: 2027-01-31T09:00:00Z";
const repeatForms =
  "RRULE: FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO,TH or FREQ=MONTHLY;BYMONTHDAY=-1 (the last day of each month) or FREQ=MONTHLY;BYDAY=1FR";
/** Metadata of a field that closing sets. A caller does not write it. */
const setByClosing = (description: string) => ({ description: `set by closing${description}`, readOnly: true });

const schema = () => {
  const moment = z.union([z.iso.datetime({ offset: true, error }), z.iso.date({ error })]);
  return z.object({
    text: z.string().min(1).max(10_000),
    due: moment.describe("2027-01-31T09:00:00Z, or a date"),
    repeat: z.string().min(1).max(500).optional().describe(repeatForms),
    start: moment.optional().describe("of a series: its first due; default due"),
    done: z.string().max(40).optional().meta(setByClosing(": when")),
    note: z.string().max(10_000).optional().meta(setByClosing("")),
    next: z.string().max(maxIdLength).optional().meta(setByClosing(": the id of the next one of a series")),
    series: z.string().max(maxIdLength).optional().meta(setByClosing(": the id of the first one of a series")),
  });
};

type Reminder = z.output<ReturnType<typeof schema>>;

/**
 * The reminder kind. Closing a repeating reminder creates the next one of the series, due at its first time from now on. The closed reminder has the id
 * of the next one. Recurrence follows RFC 5545, by days or longer, in UTC.
 */
export const reminder = defineKind({
  name: "reminder",
  description: "Something to be reminded of, once or again and again; a query of a range of due shows each occurrence.",
  schema,
  indexes: ["due", "repeat"],
  text: ["text", "note"],
  meaning: ["text"],
  summary: ["text", "due", "repeat", "next"],
  close: (_record, { now, note }) => ({ done: now, note }),
  rule,
  recurring: {
    time: "due",
    rule: "repeat",
    async occurrences({ due, start = due, repeat = "" }, range, max) {
      const { occurrencesIn } = await import("./recurrence.ts");
      return occurrencesIn({ due, series: { start, repeat } }, range, max);
    },
  },
  keywords: ["remind me", "todo", "task", "due date", "deadline"],
  examples: [
    { text: "Water the plants", due: "2027-01-04T08:00:00Z", repeat: "FREQ=WEEKLY;BYDAY=MO,TH" },
    { text: "Check the invoices", due: "2027-01-31", repeat: "FREQ=MONTHLY;BYMONTHDAY=-1" },
  ],
});

async function rule(change: Change<Reminder>): Promise<Ruling<Reminder> | void> {
  const { operation, after } = change;
  if (operation === "put") return { record: await normalize(change) };
  if (operation !== "close" || after.repeat === undefined) return undefined;
  const { repeat, start = after.due } = after;
  const { nextOccurrence } = await import("./recurrence.ts");
  const due = nextOccurrence({ start, repeat }, latest(after.due, change.now));
  if (due === undefined) return undefined;
  return { record: { ...after, next: await putNext(change, { text: after.text, due, repeat, start }) } };
}

/** Creates the next reminder of a series, and returns its id. After a reopening it may exist already. Then it stays unchanged. */
async function putNext({ id, after, store }: Change<Reminder>, following: Reminder): Promise<string> {
  const { series = id, next } = after;
  const isOwn = (found: Stored<Reminder> | undefined) => found?.data.series === series;
  if (next !== undefined && isOwn(await store.get(reminder, next))) return next;
  const named = nextId(id, after.series !== undefined);
  const found = isRecordId(named) ? await store.get(reminder, named) : undefined;
  if (isOwn(found)) return named;
  const isFree = isRecordId(named) && found === undefined;
  return (await store.put(reminder, { ...following, series }, isFree ? { id: named } : {})).id;
}

/** Validates a reminder, and converts its times to one form, so that they sort as strings. */
async function normalize({ after: record, before, now }: Change<Reminder>): Promise<Reminder> {
  const { repeat } = record;
  const due = canonical(record.due);
  if (repeat === undefined) return { ...record, due };
  // A change of the due time also moves the later times of the series.
  const isMoved = before !== undefined && before.data.due !== due && before.data.start === record.start;
  const start = isMoved ? due : canonical(record.start ?? due);
  if (start.includes("T") !== due.includes("T")) {
    throw new ToolError("invalid_input", "start: expected a date where due is one, and a time where it is a time");
  }
  const { checkRecurrence } = await import("./recurrence.ts");
  const problem = checkRecurrence({ start, repeat }, latest(due, now));
  if (problem === undefined) return { ...record, due, start };
  throw new ToolError("invalid_input", `repeat: ${problem}`, `Expected an ${repeatForms}.`);
}

function canonical(time: string): string {
  return time.length === "2027-01-31".length ? time : new Date(time).toISOString();
}

function latest(due: string, now: string): string {
  return due > now ? due : now;
}

/** The id of the next reminder: the first one's id with `.2`, then `.3` and so on. */
function nextId(id: string, isFollowing: boolean): string {
  const match = isFollowing ? /^(.*)\.(\d{1,9})$/.exec(id) : null;
  return match === null ? `${id}.2` : `${match[1]}.${Number(match[2]) + 1}`;
}

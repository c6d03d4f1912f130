import { isObject, type Filter, type Kind, type Page, type Stored, type TimeRange } from "@toolpacks/core";

/** Maximum number of shown occurrences of one record. */
const maxOccurrences = 50;

/** A query over a range of times of a kind whose records recur. */
export interface RecurringQuery {
  /** The filter, which also matches records that begin before the range and recur in it. */
  readonly filter: Filter;
  /** Finds the occurrences in the range, and removes recurring records that have none. */
  expand(page: Page): Promise<{ readonly page: Page; readonly occurrences: ReadonlyMap<string, readonly string[]> }>;
}

/** @returns undefined if the records do not recur, or the filter has no range with an end */
export function recurringQuery({ recurring }: Kind, filter: Filter): RecurringQuery | undefined {
  if (recurring === undefined) return undefined;
  const { time, rule } = recurring;
  const { [time]: condition, ...others } = filter;
  const range = isObject(condition) ? textRange(condition) : undefined;
  if (range === undefined || (range.lt ?? range.lte) === undefined) return undefined;
  const { gt, gte, ...end } = range;
  const start = { ...(gt !== undefined && { gt }), ...(gte !== undefined && { gte }) };
  const begins = { or: [{ [time]: start }, { [rule]: { exists: true } }] };
  return {
    filter: Object.keys(start).length === 0 ? filter : { and: [others, { [time]: end }, begins] },
    async expand(page) {
      const occurrences = new Map<string, readonly string[]>();
      const items: Stored[] = [];
      for (const item of page.items) {
        if (item.data[rule] === undefined) items.push(item);
        else {
          const times = await recurring.occurrences(item.data, range, maxOccurrences);
          if (times.length > 0) items.push(item);
          if (times.length > 1 || times[0] !== item.data[time]) occurrences.set(item.id, times);
        }
      }
      // The total of a page of similar records is 0.
      const total = Math.max(0, page.total - page.items.length + items.length);
      return { page: { ...page, items, total }, occurrences };
    },
  };
}

/** The condition as a range of strings. Undefined if it is another condition. */
function textRange(condition: object): TimeRange | undefined {
  const entries = Object.entries(condition).filter(([, value]) => value !== undefined);
  const isRange = entries.every(
    ([name, value]) => ["gt", "gte", "lt", "lte"].includes(name) && typeof value === "string",
  );
  return isRange ? Object.fromEntries(entries) : undefined;
}

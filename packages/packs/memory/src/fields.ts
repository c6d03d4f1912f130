import { detail, type Range } from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";

export const entityName = z.string().min(1).max(200);
export const entityNames = z.array(entityName).max(50).optional();
export const tags = z.array(z.string().min(1).max(200)).max(50).optional();

/** A name that is also a record id. Workspace names are shorter; the store checks their length. */
export const recordName = z
  .string()
  .min(1)
  .max(maxIdLength)
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), "expected no control characters");

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}

const timeError = "expected a date or an ISO 8601 time: 2027-01-31, 2027-01-31T09:00:00Z";

/** A date or a time. A pattern in the schema would cost tokens in every tool list. */
const time = z.string().max(200).refine(isMoment, timeError);

/** A time, normalized to UTC so that times compare as strings. */
const moment = time.transform((text) => new Date(text).toISOString()).optional();

/** A time, or a date, which means the end of that day in UTC. */
export const asOf = time
  .transform((text) => new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59.999Z` : text).toISOString())
  .optional()
  .meta(detail("only what held then: a date (its end) or an ISO 8601 time"));

export const since = moment.meta(detail("from then on: a date or an ISO 8601 time"));
export const until = moment.meta(detail("before then: a date or an ISO 8601 time"));
/** A condition on a time. Undefined if no bound is given. */
export function rangeOf(bounds: Range): Range | undefined {
  return Object.values(bounds).some((bound) => bound !== undefined) ? bounds : undefined;
}

/** Maximum number of items on a page. A bound in the schema would cost tokens in every tool list. */
const maxShown = 200;
export const limit = z
  .int()
  .min(0)
  .max(1_000_000)
  .transform((wanted) => Math.min(wanted, maxShown))
  .optional()
  .meta(detail(`at most ${maxShown}`));
export const cursor = z.string().max(8_000).optional().meta(detail("from the page before"));

/** The workspace to read. Tools that write always use the current workspace. */
export const inWorkspace = recordName.optional().meta(detail("default: the one in use"));

/** Arguments that the caller's intent already supplies. */
export const fromIntent = { workspace: "workspaceId" } as const;

import { detail, maxIdLength } from "@toolpacks/core";
import { z } from "zod";

export const entityName = z.string().min(1).max(200);
export const entityNames = z.array(entityName).max(50).optional();
export const tags = z.array(z.string().min(1).max(200)).max(50).optional();

/** A name that is an id too. A workspace's is shorter, which the store says of one that is not. */
export const recordName = z
  .string()
  .min(1)
  .max(maxIdLength)
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), "expected no control characters");

const timeError = "expected a date or an ISO 8601 time: 2027-01-31, 2027-01-31T09:00:00Z";

/** A moment, in the one form that records keep, so that they compare. Checked here, since a pattern would cost every list. */
export const moment = z
  .string()
  .max(40)
  .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), timeError)
  .transform((text) => new Date(text).toISOString())
  .optional();

export const since = moment.meta(detail("from then on: a date or an ISO 8601 time"));
export const until = moment.meta(detail("before then: a date or an ISO 8601 time"));
/** A page has no more than this, whatever limit is asked for: a bound in the schema would cost every list. */
const maxShown = 200;
export const limit = z
  .int()
  .min(0)
  .max(1_000_000)
  .transform((wanted) => Math.min(wanted, maxShown))
  .optional()
  .meta(detail(`at most ${maxShown}`));
export const cursor = z.string().max(8_000).optional().meta(detail("from the page before"));

/** A call that writes does so in the workspace in use; one that reads may look into another. */
export const inWorkspace = recordName.optional().meta(detail("default: the one in use"));

/** Fields that a caller's intent carries already. */
export const fromIntent = { workspace: "workspaceId" } as const;

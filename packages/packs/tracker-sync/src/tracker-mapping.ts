import { z } from "zod";

/** The fields of an issue that can be synchronized. */
export const syncFields = ["title", "description", "status", "labels", "assignee"] as const;

export type SyncField = (typeof syncFields)[number];

const args = z.record(z.string(), z.unknown());
const expression = z.string().min(1).max(10_000);
const operation = { tool: z.string().min(1).max(200), args: args.default({}) };
const fieldArgs = z.partialRecord(z.enum(syncFields), args);

/** For each field, the tracker's value of each value here. */
export const fieldValues = z.partialRecord(z.enum(syncFields), z.record(z.string(), z.string()));
export const fieldNames = z.array(z.enum(syncFields)).min(1);

/**
 * The tools of a tracker, with expressions (`${…}`) for their arguments and results. `list` and `get` see `page` and `ref`, results are `result`,
 * an issue of the tracker is `item`, a field to write is `value`.
 */
export const trackerMapping = z.strictObject({
  /** Comes before the tracker's reference in `external_ref`. */
  refPrefix: z.string().min(1).max(50),
  /** Lists all issues. `next` is the arguments of the next page: `{}` or null after the last one. */
  list: z.strictObject({ ...operation, items: expression, next: expression.optional() }),
  /** Reads one issue. Without it, an edit between a list and a write is not noticed. */
  get: z.strictObject({ ...operation, item: expression }).optional(),
  /** Creates an issue of these fields. `ref` is its reference in the result. */
  create: z.strictObject({ ...operation, fields: fieldArgs, ref: expression }).optional(),
  /** The tools that change fields. Each is called with the arguments of the fields that change. */
  update: z.array(z.strictObject({ ...operation, fields: fieldArgs })).default([]),
  /** How an issue of the tracker is read. */
  item: z.strictObject({
    ref: expression,
    title: expression,
    description: expression.optional(),
    status: expression.optional(),
    labels: expression.optional(),
    assignee: expression.optional(),
  }),
  fields: fieldNames.default(["title", "description", "status", "labels"]),
  values: fieldValues.default({}),
});

export type TrackerMapping = z.output<typeof trackerMapping>;

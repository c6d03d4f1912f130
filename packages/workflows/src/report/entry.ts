import { errorCodes, type Failure } from "@toolpacks/core";
import { z } from "zod";
import { stepKindNames } from "../definition/step-kinds.ts";

const stepStatuses = ["ok", "failed", "skipped", "cached", "dry", "waiting"] as const;

/** The report entry of one step. */
export const entrySchema = z.object({
  step: z.string().describe("its id, inside others after theirs: each/3/inner"),
  kind: z.enum(stepKindNames),
  /** The tool, model, workflow or step type. */
  target: z.string().optional(),
  status: z.enum(stepStatuses),
  durationMs: z.number(),
  attempts: z.int(),
  summary: z.string().optional(),
  /** Why it did not run. */
  reason: z.string().optional(),
  error: z.object({ code: z.enum(errorCodes), message: z.string(), hint: z.string().optional() }).optional(),
  /** It failed, and its fallback did not. */
  rescued: z.boolean().optional(),
  /** A step inside it failed, and the steps after that one went on. */
  incomplete: z.boolean().optional(),
  /** The model that answered, if it is not the target. */
  model: z.string().optional(),
  /** The price of the answer. */
  cost: z.number().optional(),
  /** Models that were to be asked before, and why they gave no answer. */
  passedOver: z.array(z.object({ model: z.string(), reason: z.string() })).optional(),
  /** What it would have been called with. */
  params: z.unknown().optional(),
  /** Characters of its result's JSON. */
  size: z.int().optional(),
  /** What a script printed. */
  printed: z.string().optional(),
  /** Of a call of a script: a digest of its arguments, and the times of its clock in ms. No two calls of a script end at the same time. */
  call: z.object({ args: z.string(), made: z.number(), ended: z.number() }).optional(),
  /** Of a long result. */
  handle: z
    .string()
    .regex(/^relay:\/\/[a-z2-7]{20}$/)
    .optional(),
});

export type Entry = Readonly<z.output<typeof entrySchema>>;

/** A finished step, with the JSON of its result if the report does not have it yet. */
export interface FinishedStep {
  readonly entry: Entry;
  /** Its place in the definition, for sorting. */
  readonly order: string;
  readonly json: string | undefined;
}

/** A step that an earlier run finished. */
export interface EarlierStep {
  readonly entry: Entry;
  readonly result: () => Promise<unknown>;
}

/**
 * An entry in a list of an answer. Its schema is repeated by every tool that lists entries, so it has only the fields that
 * identify a step.
 */
export const shownEntry = z
  .looseObject({ step: entrySchema.shape.step, status: z.enum(stepStatuses) })
  .describe("with kind, target, durationMs, attempts, and what else there is to say") as unknown as z.ZodType<Entry>;

/** Maximum characters of a result's JSON in the step's own record and in answers. */
const maxShort = 4_000;

/** Whether a result is kept as a value of its own, and answered as a handle. */
export function isLong(characters: number): boolean {
  return characters > maxShort;
}

/** A failure in a report. Its message is cut to this length. */
const maxMessageLength = 2_000;

export function reportedError({ code, message, hint }: Failure): NonNullable<Entry["error"]> {
  return { code, message: message.slice(0, maxMessageLength), hint: hint?.slice(0, maxMessageLength) };
}

import { detail, listed, unlisted } from "@toolpacks/core";
import { z } from "zod";
import { questionFields } from "./question.ts";

/** How an answer gets into a file. */
const modes = ["create", "replace", "append", "prepend"] as const;

const target = z.strictObject({
  file: z.string().min(1).max(4_096).optional().meta(detail("of an answer, which ends with a new line there")),
  mode: z.enum(modes).optional().meta(detail("default create, which refuses an existing file")),
  passage: z.string().min(1).max(100_000).optional().meta(unlisted("of the file: the text that the answer replaces")),
  kind: z.string().min(1).max(200).optional().meta(detail("in place of file: of a new record, with field")),
  field: z.string().min(1).max(200).optional().meta(detail("of the record: the field that gets the answer")),
  record: z.record(z.string().max(200), z.unknown()).optional().meta(unlisted("its other fields")),
});

export type Target = z.output<typeof target>;

/** Ids of a batch's own steps have `__`. */
const idPattern = /^[A-Za-z](?:_?[A-Za-z0-9]){0,29}$/;

const item = z.strictObject({
  id: z
    .string()
    .max(200)
    .refine((id) => idPattern.test(id), "expected a letter, then at most 29 letters, digits and single _")
    .optional()
    .meta(detail("how others refer to it; default p1, p2, …")),
  name: questionFields.name,
  text: questionFields.text,
  values: questionFields.values.meta(detail("of arguments; what is no text is inserted as JSON")),
  answers: z.record(z.string().max(200), z.string().max(200)).optional().describe("ids of earlier groups"),
  files: questionFields.files.meta(detail("by argument, paths of files within the roots")),
  results: questionFields.results.meta({ ...detail("by argument, calls that read"), ...listed({ type: "object" }) }),
  group: z.int().min(1).optional().describe("run in order; default 1"),
  task: questionFields.task.meta(detail("the kind of work; default: as stored, or any model")),
  model: questionFields.model.meta(unlisted("in place of task")),
  system: questionFields.system.meta(unlisted("instructions for the model")),
  to: target.optional().meta(detail("where the answer is kept")),
});

/** One prompt of a batch, as the caller writes it. */
export type BatchItem = z.output<typeof item>;

export const maxPrompts = 100;

export const batchInput = z.object({
  prompts: z.array(item).min(1).max(maxPrompts).optional().describe("values, answers, files: by argument"),
  dryRun: z.boolean().optional().describe("only count tokens and price"),
  resume: z.string().min(1).max(200).optional().describe("a report"),
});

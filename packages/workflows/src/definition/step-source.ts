import { z } from "zod";
import { onErrors, stepKindNames, stepKinds, type KindFields, type StepKind } from "./step-kinds.ts";

/** All keys that belong to a kind of step. */
const kindKeys: ReadonlySet<string> = new Set(
  stepKindNames.flatMap((kind) => [kind, ...stepKinds[kind].required, ...stepKinds[kind].optional]),
);

/** Ids and variables are names in expressions. */
const identifier = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,39}$/,
    "expected a name of at most 40 letters, digits and _, not beginning with a digit",
  );

const maxSteps = 200;
const text = z.string().min(1).max(2_000);

/** The text of a script. */
export const codeText = z.string().min(1).max(100_000);

const fields = z.record(z.string().max(200), z.unknown());

const fieldsOfStep = z.strictObject({
  id: identifier.optional().describe("how later steps name its result; default by place: step1, step2_1"),
  when: z.string().min(1).max(2_000).optional().describe("an expression; false skips the step"),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(20).describe("in all"),
      backoff: z
        .int()
        .min(0)
        .max(600_000)
        .optional()
        .describe("milliseconds before the second one, doubling; default 1000"),
    })
    .optional(),
  timeout: z.int().min(1).max(86_400_000).optional().describe("milliseconds for each attempt"),
  show: z.boolean().optional().describe("whether the answer shows its result; default: unless later steps use it"),
  onError: z.enum(onErrors).optional().describe("default: the workflow's"),

  tool: z.string().min(1).max(200).optional().describe("any mounted tool"),
  step: z.string().min(1).max(200).optional().describe("a step type that a pack adds"),
  params: fields.optional(),
  model: z.string().min(1).max(200).optional().describe("a configured model, or default"),
  task: z.string().min(1).max(200).optional().describe("in place of model: a task, whose models are asked in order"),
  prompt: z.string().min(1).max(100_000).optional(),
  system: z.string().min(1).max(100_000).optional(),
  schema: fields.optional().describe("JSON Schema or shorthand of the answer"),
  workflow: z.string().min(1).max(200).optional().describe("another workflow's name"),
  input: fields.optional(),
  forEach: z
    .union([z.string().min(1).max(2_000), z.array(z.unknown()).max(10_000)])
    .optional()
    .describe("a reference to a list, or a list"),
  as: identifier.optional().describe("the item's name; default item"),
  concurrency: z.int().min(1).max(100).optional(),

  ask: z.string().min(1).max(10_000).optional().describe("a question to a person; the run waits for the answer"),
  choices: z
    .union([text, z.array(text).min(1).max(50)])
    .optional()
    .describe("the accepted answers"),
  deadline: text.optional().describe("a time, or a duration such as 2h; then the step fails"),
  wait: z
    .strictObject({
      until: text.optional().describe("a time"),
      for: text.optional().describe("a duration: 90s, 15m, 2h, 3d"),
      issue: text.optional().describe("an issue's id, until it is closed"),
    })
    .refine((wait) => Object.keys(wait).length === 1, "expected one of until, for, issue")
    .optional(),
  issue: z
    .union([fields, z.array(fields).min(1).max(100)])
    .optional()
    .describe("issues to make: one, or a list; the run waits until all are closed"),
  code: codeText
    .optional()
    .describe("TypeScript: the body of an async function with tools, store, handles, input, steps, ask"),
});

/** A step in a definition. It has exactly one of the keys that name its kind. */
export interface StepSource extends Readonly<z.output<typeof fieldsOfStep>> {
  readonly fallback?: readonly StepSource[];
  readonly parallel?: readonly StepSource[];
  readonly steps?: readonly StepSource[];
}

const step: z.ZodType<StepSource> = z
  .strictObject({
    ...fieldsOfStep.shape,
    get fallback() {
      return steps.optional().describe("to try instead when it failed");
    },
    get parallel() {
      return steps.optional().describe("steps that run at once");
    },
    get steps() {
      return steps.optional().describe("for each item");
    },
  })
  .superRefine((source, context) => {
    for (const { path, message } of problems(source)) context.addIssue({ code: "custom", path, message });
  });

/** The steps of a definition. */
export const steps: z.ZodArray<z.ZodType<StepSource>> = z.array(step).min(1).max(maxSteps);

/** The kind of a step. */
export function kindOf(source: StepSource): StepKind | undefined {
  return source.task === undefined ? stepKindNames.find((kind) => source[kind] !== undefined) : "model";
}

function problems(source: StepSource): readonly { readonly path: string[]; readonly message: string }[] {
  const given = Object.entries(source).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const isTask = given.includes("task");
  if (isTask && given.includes("model")) return [{ path: ["task"], message: "expected either a model or a task" }];
  const kinds = stepKindNames.filter((kind) => given.includes(kind) || (isTask && kind === "model"));
  const [kind, other] = kinds;
  if (kind === undefined) return [{ path: [], message: `expected one of ${stepKindNames.join(", ")}` }];
  if (other !== undefined) return [{ path: [other], message: `the step is a ${kind} step already` }];
  if (kind === "code" && given.includes("retry"))
    return [{ path: ["retry"], message: "a code step has no retry; catch the error of a call in the code" }];
  const { required, optional }: KindFields = stepKinds[kind];
  const belongs = (key: string) => key === kind || required.includes(key) || optional.includes(key);
  return [
    ...required
      .filter((key) => !given.includes(key))
      .map((key) => ({ path: [key], message: `required in a ${kind} step` })),
    ...given
      .filter((key) => kindKeys.has(key) && !belongs(key))
      .map((key) => ({ path: [key], message: `a ${kind} step has no ${key}` })),
  ];
}

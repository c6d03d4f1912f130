import { z } from "zod";
import { onErrors } from "./step-kinds.ts";
import { codeText, steps } from "./step-source.ts";

/**
 * Characters that are invisible or reorder other characters. A model reads them, and a terminal obeys some. Line breaks, tabs
 * and emoji selectors are allowed.
 */
const invisible = /(?![\n\t]|\uFE0E|\uFE0F|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Checks the texts and field names of a value that reaches a model or a terminal through `tools/list` and `prompts/list`. */
function checkVisible(value: unknown, context: z.RefinementCtx): void {
  const parts: { readonly path: string[]; readonly inner: unknown }[] = [{ path: [], inner: value }];
  const seen = new Set<unknown>();
  for (const { path, inner } of parts) {
    const code = typeof inner === "string" ? invisible.exec(inner)?.[0].codePointAt(0) : undefined;
    if (code !== undefined) {
      const received = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      const message = `expected text without control and invisible characters, received ${received}`;
      return context.addIssue({ code: "custom", path, message });
    }
    if (inner === null || typeof inner !== "object" || seen.has(inner)) continue;
    seen.add(inner);
    for (const [key, one] of Object.entries(inner))
      parts.push({ path, inner: key }, { path: [...path, key], inner: one });
  }
}

const triggerText = z.string().min(1).max(500).optional();

/** When a workflow starts by itself. */
const triggerSource = z
  .strictObject({
    at: triggerText.describe("RRULE: FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"),
    zone: triggerText.describe("time zone of at; default UTC"),
    start: triggerText.describe("first time of at; default 2026-01-01T00:00:00"),
    kind: triggerText.describe("a kind of record, whose changes start runs"),
    filter: z.record(z.string(), z.unknown()).optional().describe("of the changed records, as in store_query"),
    input: z.record(z.string(), z.unknown()).optional().describe("of the run, beside event"),
  })
  .refine(({ at, kind }) => (at === undefined) !== (kind === undefined), "expected either at or kind");

export type TriggerSource = Readonly<z.output<typeof triggerSource>>;

/** A workflow's name. It may become the name of a tool: `workflow_<name>`. */
const workflowName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, "expected a lower-case name, at most 50 characters of a-z, 0-9 and _");

const fieldsOfWorkflow = z.strictObject({
  description: z
    .string()
    .min(1)
    .max(1_000)
    .superRefine(checkVisible)
    .optional()
    .describe("what the workflow does, for models"),
  input: z
    .record(z.string().max(200), z.unknown())
    .superRefine(checkVisible)
    .optional()
    .describe('JSON Schema, or shorthand: {"path": "string", "limit": "integer?", "tags": "string[]?"}'),
  steps: steps.optional().describe("steps, in their order"),
  code: codeText.optional().describe("in place of steps: a script, as of a code step"),
  expose: z.enum(["tool", "none"]).default("none").describe("tool: also its own tool and prompt, workflow_<name>"),
  on: z.array(triggerSource).min(1).max(20).optional().describe("when it starts by itself"),
  onError: z.enum(onErrors).default("stop").describe("what a failed step means for those after it"),
});

/** A workflow in a config file. A script in place of steps is its only step. */
export const workflowSource = fieldsOfWorkflow
  .refine(({ steps: given, code }) => (given === undefined) !== (code === undefined), {
    path: ["steps"],
    message: "expected either steps or code",
  })
  .transform(({ code, steps: given, ...source }) => ({ ...source, steps: given ?? [{ id: "code", code }] }));

/** Workflows of these names cannot be exposed: `workflow_run` and the others are tools of the pack. */
const packToolNames: ReadonlySet<string> = new Set(["run", "eval", "list", "step", "report", "steps"]);

/** The value of the config key `workflows`. */
export const workflowSources = z.record(workflowName, workflowSource).superRefine((sources, context) => {
  for (const [name, { expose }] of Object.entries(sources)) {
    if (expose !== "tool" || !packToolNames.has(name)) continue;
    const message = `there is a tool workflow_${name} already; rename the workflow, or leave out expose`;
    context.addIssue({ code: "custom", path: [name, "expose"], message });
  }
});

export type WorkflowSource = z.output<typeof workflowSource>;

import { z } from "zod";
import { isDelimited, readPattern, type Pattern } from "./pattern.ts";

const toolName = z.string().min(1).max(128);

const maxPatterns = 50;

const pattern = z
  .string()
  .min(1)
  .max(1_000)
  .transform((text, context): Pattern => {
    const read = readPattern(text);
    if (!("problem" in read)) return read;
    context.addIssue({ code: "custom", message: read.problem });
    return z.NEVER;
  });

/** The expected arguments of a call. A value must be equal at any depth, or match a `/regular expression/`. */
const wantedArgs = z.record(z.string(), z.unknown()).superRefine((args, context) => {
  const patterns = textsIn(args).filter(isDelimited);
  if (patterns.length > maxPatterns) {
    context.addIssue({ code: "custom", message: `expected at most ${maxPatterns} regular expressions` });
    return;
  }
  for (const text of patterns) {
    const read = readPattern(text);
    if ("problem" in read) context.addIssue({ code: "custom", message: `${text}: ${read.problem}` });
  }
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

const count = z.int().min(1).max(1_000);

const repetition = z.union([
  z.boolean(),
  count,
  z
    .strictObject({ at_least: z.int().min(0).max(1_000).default(1), at_most: count.optional() })
    .refine(({ at_least, at_most = at_least }) => at_most >= at_least, "at_most: expected at least at_least"),
]);

const wantedCall = z.strictObject({
  tool_name: toolName,
  opaque_id_input: z.boolean().optional(),
  opaque_id_result: z.boolean().optional(),
  allow_multiple: repetition.default(false),
  args: wantedArgs.optional(),
});

/** The front matter of a case. */
export const expectationSchema = z
  .strictObject({
    id: z
      .string()
      .max(100)
      .regex(/^[\w.-]+$/, "expected letters, digits, dots, dashes and underscores")
      .optional(),
    tool_calls: z.array(wantedCall).max(200).optional(),
    forbidden_tools: z.array(toolName).max(200).default([]),
    max_tokens: z.int().min(1).optional(),
    answer_matches: z
      .union([pattern, z.array(pattern).min(1).max(maxPatterns)])
      .transform((read) => (Array.isArray(read) ? read : [read]))
      .default([]),
    args: z.record(toolName, wantedArgs).default({}),
  })
  .superRefine(({ tool_calls: calls = [], forbidden_tools: forbidden }, context) => {
    for (const [at, { tool_name: name }] of calls.entries()) {
      if (!forbidden.includes(name)) continue;
      context.addIssue({
        code: "custom",
        path: ["tool_calls", at, "tool_name"],
        message: `expected a tool that is not in forbidden_tools; ${name} is`,
      });
    }
  });

/** The expectations of a case. Without `tool_calls`, any tool may be called in any order. */
export type Expectation = z.output<typeof expectationSchema>;
export type WantedCall = z.output<typeof wantedCall>;
export type WantedArgs = z.output<typeof wantedArgs>;

/** The accepted fields at a path in the front matter. */
export function fieldsAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(expectationSchema.shape);
  return Object.keys(wantedCall.shape);
}

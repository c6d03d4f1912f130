import { defineKind } from "@toolpacks/core";
import { z } from "zod";

const argument = () =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, "expected a letter, then at most 63 letters, digits, _ and -"),
    description: z.string().min(1).max(500).optional(),
    required: z.boolean().optional().describe("default true"),
    values: z.array(z.string().min(1).max(500)).max(200).optional().describe("suggestions"),
  });

const word = () => z.string().min(1).max(200);

const schema = () =>
  z.object({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
        "expected a letter or digit, then at most 63 letters, digits, _, . and -",
      )
      .describe("unique: clients list it by this name"),
    text: z.string().min(1).max(100_000).describe("what the user says, with {{arguments}}"),
    description: z.string().min(1).max(1_000).optional().describe("for the user who chooses it"),
    arguments: z.array(argument()).max(20).optional().describe("only to describe arguments of the text"),
    task: word().optional().describe("the kind of work, such as summarize: prompt_run asks the models that serve it"),
    model: word().optional().describe("in place of task: the model that prompt_run asks"),
    tags: z.array(z.string().min(1).max(100)).max(50).optional(),
  });

export type PromptRecord = z.output<ReturnType<typeof schema>>;

/** The prompt kind: a text with arguments, which clients list while it is open. Closing it takes it off their lists. */
export const prompt = defineKind({
  name: "prompt",
  description: "A text with {{arguments}} that the user's client lists as a prompt.",
  schema,
  indexes: ["name", "tags"],
  text: ["name", "description", "text", "tags"],
  summary: ["name", "description", "tags"],
  rule: async (change): Promise<void> => (await import("./check-prompt.ts")).checkPrompt(change, prompt),
  keywords: ["template", "slash command", "saved prompt", "prompt library"],
  examples: [
    {
      name: "review",
      text: "Review {{file}} for {{focus}}.",
      description: "Review a file",
      arguments: [{ name: "focus", required: false, values: ["security", "speed", "wording"] }],
    },
  ],
});

import { defineKind, ToolError, type Change } from "@toolpacks/core";
import { z } from "zod";
import { argumentNames } from "./template.ts";

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
  meaning: ["name", "description"],
  summary: ["name", "description", "tags"],
  rule: checkPrompt,
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

const maxArguments = 20;

/**
 * The rule of prompts.
 *
 * @throws ToolError `invalid_input` for arguments that do not fit the text, `conflict` where another open prompt has the name
 */
async function checkPrompt(change: Change<PromptRecord>): Promise<void> {
  const { operation, id, after, closed, store } = change;
  if (operation === "delete" || operation === "close") return;
  checkArguments(after);
  if (after.task !== undefined && after.model !== undefined)
    throw new ToolError("invalid_input", "task, model: expected one of them, received both");
  if (closed) return;
  const { items } = await store.query(prompt, { filter: { name: after.name }, limit: 2, fields: [] });
  const other = items.find((one) => one.id !== id);
  if (other === undefined) return;
  const hint = "Change that one by its id, or choose another name.";
  throw new ToolError("conflict", `name: the open prompt ${other.id} is named ${after.name} already`, hint);
}

function checkArguments({ text, arguments: described = [] }: PromptRecord): void {
  const inText = argumentNames(text);
  if (inText.length > maxArguments)
    throw new ToolError("invalid_input", `text: expected at most ${maxArguments} arguments`);
  for (const [at, { name }] of described.entries()) {
    if (!inText.includes(name)) {
      const known = inText.length === 0 ? "it has no arguments" : `it has ${inText.join(", ")}`;
      throw new ToolError("invalid_input", `arguments.${at}.name: the text has no {{${name}}}; ${known}`);
    }
    if (described.findIndex((one) => one.name === name) !== at)
      throw new ToolError("invalid_input", `arguments.${at}.name: ${name} is described twice`);
  }
}

import { isObject, ToolError, type Store, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { prompt, type PromptRecord } from "../prompt-kind.ts";
import { fillIn, filledLength } from "../template.ts";
import { readFile, readResult } from "./read-value.ts";

const argumentsOf = <Value extends z.ZodType>(value: Value) => z.record(z.string().max(200), value);

/** Maximum characters of a text with its values. */
const maxLength = 400_000;

const word = z.string().min(1).max(200);

/** What a model is asked, and where the values of the text's arguments come from. */
export const questionFields = {
  name: word.optional().describe("a stored prompt"),
  text: z.string().min(1).max(100_000).optional().describe("or this, with {{arguments}}"),
  values: argumentsOf(z.unknown()).optional(),
  files: argumentsOf(z.string().min(1).max(4_096)).optional(),
  results: argumentsOf(
    z.strictObject({
      tool: word.describe("a tool that only reads"),
      args: z.record(z.string().max(200), z.unknown()).optional().describe("its arguments"),
    }),
  ).optional(),
  task: word.optional(),
  model: word.optional(),
  system: z.string().min(1).max(100_000).optional(),
};

const questionSchema = z.strictObject(questionFields);

export type Question = z.output<typeof questionSchema>;

/** The texts of a question, and who is to answer. */
export interface FilledQuestion {
  readonly prompt: string;
  readonly system?: string;
  readonly task?: string;
  readonly model?: string;
}

/**
 * The open prompt of a name.
 *
 * @throws ToolError `not_found`
 */
export async function findPrompt(store: Store, name: string): Promise<PromptRecord> {
  const { items } = await store.query(prompt, { filter: { name }, limit: 1 });
  const [found] = items;
  if (found !== undefined) return found.data;
  const hint = 'store_query {"kind": "prompt"} lists those that are open.';
  throw new ToolError("not_found", `name: there is no open prompt ${JSON.stringify(name)}`, hint);
}

/**
 * Reads the files and results of a question, and inserts all values into its text.
 *
 * @param stored the prompt that the question names
 * @throws ToolError of a file or tool that cannot be read, naming the argument
 */
export async function fillQuestion(
  { text = "", values = {}, files = {}, results = {}, task, model, system }: Question,
  stored: PromptRecord | undefined,
  context: ToolContext,
): Promise<FilledQuestion> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) filled[name] = textOf(value);
  for (const [name, path] of Object.entries(files)) filled[name] = await readFile(path, `files.${name}`, context);
  for (const [name, call] of Object.entries(results)) filled[name] = await readResult(call, `results.${name}`, context);
  const whole = stored?.text ?? text;
  const length = filledLength(whole, filled);
  if (length > maxLength) {
    const sizes = Object.entries(filled).map(([name, value]) => `{{${name}}} ${value.length.toLocaleString("en")}`);
    throw new ToolError(
      "too_large",
      `text: ${length.toLocaleString("en")} characters with its values, more than ${maxLength.toLocaleString("en")}`,
      `Characters of values: ${sizes.join(", ")}`.slice(0, 1_000),
    );
  }
  return { prompt: fillIn(whole, filled), system, ...whoAnswers({ task, model }, stored) };
}

type TaskOrModel = Pick<Question, "task" | "model">;

/** The task or the model of a question, otherwise that of the prompt that it names. */
export function whoAnswers(
  question: TaskOrModel,
  stored: TaskOrModel | undefined,
): Pick<FilledQuestion, "task" | "model"> {
  const isOwn = question.task !== undefined || question.model !== undefined;
  const { task, model } = isOwn || stored === undefined ? question : stored;
  return { task, model };
}

/** A result that holds only a text is that text. Any other value is its JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (isObject(value) && Object.keys(value).length === 1 && typeof value["text"] === "string") return value["text"];
  return JSON.stringify(value) ?? "";
}

import { closest } from "./nearest.ts";
import { ToolError } from "./tool-error.ts";

/** A field that a person fills in before a prompt is used. Values are text, as the protocol has them. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** Where a prompt is used. */
export interface PromptContext {
  /** How a model calls a tool there: its name where it is listed, else the listed tool that leads to it. */
  readonly callOf: (tool: string) => string;
}

/** What a client shows a person to choose from, and what is said to the model when it is chosen. */
export interface Prompt {
  readonly name: string;
  readonly description: string;
  /** The tool that it leads to: where that cannot be called, the prompt is not shown. */
  readonly tool: string;
  readonly arguments: readonly PromptArgument[];
  /** Gets every required argument, and no empty one. @throws ToolError that names a wrong argument */
  text(args: Readonly<Record<string, string>>, context: PromptContext): string;
}

/** The text of a prompt. @throws ToolError `invalid_input` that names a missing, unknown or wrong argument */
export function renderPrompt(prompt: Prompt, args: Readonly<Record<string, string>>, context: PromptContext): string {
  const known = prompt.arguments.map(({ name }) => name);
  // Clients send empty text for a field that was not filled in.
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ""));
  for (const { name, required } of prompt.arguments) {
    if (required === true && !Object.hasOwn(given, name)) {
      throw new ToolError("invalid_input", `prompt ${prompt.name}: argument ${JSON.stringify(name)} is required`);
    }
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return prompt.text(given, context);
  const near = closest(unknown, known);
  const meant = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
  throw new ToolError(
    "invalid_input",
    `prompt ${prompt.name}: unknown argument ${JSON.stringify(unknown.slice(0, 64))}${meant}`,
    `Arguments: ${known.join(", ") || "none"}.`,
  );
}

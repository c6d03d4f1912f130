import { closest } from "./nearest.ts";
import { ToolError } from "./tool-error.ts";

/** A field that the user fills in before a prompt is used. In MCP all values are text. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** What a prompt needs to know about the surface it is shown on. */
export interface PromptContext {
  /** How a model calls a tool on this surface: by its name if it is listed, otherwise through a listed tool. */
  readonly callOf: (tool: string) => string;
}

/** An MCP prompt: the user chooses it, and the client sends its text to the model. */
export interface Prompt {
  readonly name: string;
  readonly description: string;
  /** The tool that the prompt is about. If this tool cannot be called, the prompt is not shown. */
  readonly tool: string;
  readonly arguments: readonly PromptArgument[];
  /** Renders the text. `args` has every required argument and no empty one. @throws ToolError naming a wrong argument */
  text(args: Readonly<Record<string, string>>, context: PromptContext): string;
}

/** Renders a prompt. @throws ToolError `invalid_input` naming a missing, unknown or wrong argument */
export function renderPrompt(prompt: Prompt, args: Readonly<Record<string, string>>, context: PromptContext): string {
  const known = prompt.arguments.map(({ name }) => name);
  // Clients send an empty text for a field that the user left empty.
  const filled = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ""));
  for (const { name, required } of prompt.arguments) {
    if (required === true && !Object.hasOwn(filled, name)) {
      throw new ToolError("invalid_input", `prompt ${prompt.name}: argument ${JSON.stringify(name)} is required`);
    }
  }
  const unknown = Object.keys(filled).find((name) => !known.includes(name));
  if (unknown === undefined) return prompt.text(filled, context);
  const near = closest(unknown, known);
  const suggestion = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
  throw new ToolError(
    "invalid_input",
    `prompt ${prompt.name}: unknown argument ${JSON.stringify(unknown.slice(0, 64))}${suggestion}`,
    `Arguments: ${known.join(", ") || "none"}.`,
  );
}

import { closest } from "@toolpacks/schema";
import type { ContentBlock } from "./outcome.ts";
import type { ToolContext } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** A field that the user fills in before a prompt is used. In MCP all values are text. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  /**
   * Suggests values while the user types, the best first. A client shows at most 100.
   *
   * @param value the text so far
   * @param args the values of other arguments, as far as the user has filled them in
   */
  readonly complete?: (
    value: string,
    args: Readonly<Record<string, string>>,
  ) => readonly string[] | Promise<readonly string[]>;
}

/** The caller of a prompt, and the surface that the prompt is shown on. */
export interface PromptContext extends Pick<ToolContext, "signal" | "elicit" | "sample" | "client"> {
  /** How a model calls a tool on this surface: by its name if it is listed, otherwise through a listed tool. */
  readonly callOf: (tool: string) => string;
}

/** An MCP prompt: the user chooses it, and the client sends its messages to the model. */
export type Prompt = TextPrompt | MessagesPrompt;

interface PromptDescription {
  readonly name: string;
  readonly description: string;
  /** The tool that the prompt is about. If this tool cannot be called, the prompt is not shown. Absent: it is always shown. */
  readonly tool?: string;
  readonly arguments: readonly PromptArgument[];
}

/** A prompt of one text, which the user says. */
export interface TextPrompt extends PromptDescription {
  /** Renders the text. `args` has every required argument and no empty one. @throws ToolError naming a wrong argument */
  text(args: Readonly<Record<string, string>>, context: PromptContext): string;
}

/** A prompt of several messages, or with images, audio or resources. */
export interface MessagesPrompt extends PromptDescription {
  /** Renders the messages. `args` has every required argument and no empty one. @throws ToolError naming a wrong argument */
  messages(
    args: Readonly<Record<string, string>>,
    context: PromptContext,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** Prompts that change while a server runs, such as records of a store. */
export interface PromptSource {
  /** The prompts now. A prompt with the name of another one is not shown. */
  list(): Promise<readonly Prompt[]>;
  /** Calls back soon after the list has changed, also by another process. Returns a function that stops this. */
  watch(listener: () => void): () => void;
}

/** Renders the messages of a prompt. @throws ToolError `invalid_input` naming a missing, unknown or wrong argument */
export async function renderPrompt(
  prompt: Prompt,
  args: Readonly<Record<string, string>>,
  context: PromptContext,
): Promise<readonly PromptMessage[]> {
  const known = prompt.arguments.map(({ name }) => name);
  // Clients send an empty text for a field that the user left empty, and SDKs add undefined fields.
  const filled = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== ""));
  for (const { name, required } of prompt.arguments) {
    if (required === true && !Object.hasOwn(filled, name)) {
      throw new ToolError("invalid_input", `prompt ${prompt.name}: argument ${JSON.stringify(name)} is required`);
    }
  }
  const unknown = Object.keys(filled).find((name) => !known.includes(name));
  if (unknown === undefined) {
    if ("messages" in prompt) return prompt.messages(filled, context);
    return [{ role: "user", content: { type: "text", text: prompt.text(filled, context) } }];
  }
  const near = closest(unknown, known);
  const suggestion = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
  throw new ToolError(
    "invalid_input",
    `prompt ${prompt.name}: unknown argument ${JSON.stringify(unknown.slice(0, 64))}${suggestion}`,
    `Arguments: ${known.join(", ") || "none"}.`,
  );
}

import { z } from "zod";
import { definedOnly } from "./defined-only.ts";
import type { ToolHost } from "./tool-host.ts";
import { renderPrompt, type Prompt } from "./prompt.ts";
import { requestContext } from "./register-tools.ts";

/** `registerWith` lists each tool, so a model calls it by its name. */
const callOf = (tool: string) => tool;

/** Registers prompts on a server of either SDK. Does nothing on a server without prompts. */
export function registerPrompts(server: ToolHost, prompts: readonly Prompt[]): void {
  for (const prompt of prompts) registerPrompt(server, prompt);
}

/** The result of `registerPrompt` of either SDK. */
export interface Registered {
  remove(): void;
}

/** Registers a prompt. Throws an Error if the server has one of this name. */
export function registerPrompt(server: ToolHost, prompt: Prompt): Registered | undefined {
  const { name, description } = prompt;
  const render = async (args: Readonly<Record<string, string>>, raw: unknown) => ({
    description,
    messages: await renderPrompt(prompt, definedOnly(args), { ...requestContext(raw), callOf }),
  });
  // Without `argsSchema` an SDK calls the handler with its context as the first argument.
  const hasArguments = prompt.arguments.length > 0;
  const config = hasArguments ? { description, argsSchema: argumentShape(prompt) } : { description };
  return server.registerPrompt?.(name, config, hasArguments ? render : (raw: unknown) => render({}, raw)) as Registered;
}

function argumentShape({ arguments: args }: Prompt): z.core.$ZodLooseShape {
  return Object.fromEntries(
    args.map(({ name, description, required }) => {
      const field = description === undefined ? z.string() : z.string().describe(description);
      return [name, required === true ? field : field.optional()];
    }),
  );
}

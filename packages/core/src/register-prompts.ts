import { z } from "zod";
import { definedOnly } from "./defined-only.ts";
import type { ToolHost } from "./tool-host.ts";
import { renderPrompt, type Prompt } from "./prompt.ts";

/** Beside a server's own tools, each of a pack's tools is listed by its name. */
const callOf = (tool: string) => tool;

/** Registers prompts on a server of either SDK, as far as it has any. */
export function registerPrompts(server: ToolHost, prompts: readonly Prompt[]): void {
  for (const prompt of prompts) {
    const { name, description } = prompt;
    const say = (args: Readonly<Record<string, string>>) => ({
      description,
      messages: [
        { role: "user", content: { type: "text", text: renderPrompt(prompt, definedOnly(args), { callOf }) } },
      ],
    });
    // Without a shape an SDK hands a prompt no arguments, but its own context.
    const hasArguments = prompt.arguments.length > 0;
    const config = hasArguments ? { description, argsSchema: argumentShape(prompt) } : { description };
    server.registerPrompt?.(name, config, hasArguments ? say : () => say({}));
  }
}

function argumentShape({ arguments: args }: Prompt): z.core.$ZodLooseShape {
  return Object.fromEntries(
    args.map(({ name, description, required }) => {
      const field = description === undefined ? z.string() : z.string().describe(description);
      return [name, required === true ? field : field.optional()];
    }),
  );
}

import { z } from "zod";
import type { ToolHost } from "./tool-host.ts";
import { renderPrompt, type Prompt, type PromptSource } from "./prompt.ts";
import { requestContext } from "./register-tools.ts";

/** `registerWith` lists each tool, so a model calls it by its name. */
const callOf = (tool: string) => tool;

/** Registers prompts on a server of either SDK. Does nothing on a server without prompts. */
export function registerPrompts(server: ToolHost, prompts: readonly Prompt[]): void {
  for (const prompt of prompts) registerPrompt(server, prompt);
}

/**
 * Registers the prompts of a source, and replaces them when they change; the SDK tells clients. A prompt whose name the server has already is left out.
 * Resolves when the first ones are registered.
 */
export async function followPrompts(server: ToolHost, source: PromptSource): Promise<void> {
  if (server.registerPrompt === undefined) return;
  let registered: (Registered | undefined)[] = [];
  const replace = async () => {
    const prompts = await source.list();
    for (const one of registered) one?.remove();
    registered = prompts.map((prompt) => {
      try {
        return registerPrompt(server, prompt);
      } catch {
        // The SDK refuses a name that is registered.
        return undefined;
      }
    });
  };
  // The SDKs declare prompts with the first one, and only before a client connects.
  registerPrompt(server, { name: "toolpacks", description: "", arguments: [], text: () => "" })?.remove();
  let done = Promise.resolve();
  source.watch(() => {
    done = done.then(replace).catch(() => {});
  });
  const first = done.then(replace);
  done = first.catch(() => {});
  await first;
}

/** The result of `registerPrompt` of either SDK. */
interface Registered {
  remove(): void;
}

/** Registers a prompt. Throws an Error if the server has one of this name. */
function registerPrompt(server: ToolHost, prompt: Prompt): Registered | undefined {
  const { name, description } = prompt;
  const render = async (args: Readonly<Record<string, string>>, raw: unknown) => ({
    description,
    messages: await renderPrompt(prompt, args, { ...requestContext(raw), callOf }),
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

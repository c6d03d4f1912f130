import type { PromptSource } from "./prompt.ts";
import { registerPrompt, type Registered } from "./register-prompts.ts";
import type { ToolHost } from "./tool-host.ts";

/**
 * Registers the prompts of a source, and replaces them when they change; the SDK tells clients. A prompt whose name the server has already is left out.
 * Resolves when the first ones are registered.
 */
export async function followPrompts(server: ToolHost, source: PromptSource): Promise<void> {
  if (server.registerPrompt === undefined) return;
  const registered = new Map<string, Registered | undefined>();
  const replace = async () => {
    const prompts = await source.list();
    for (const one of registered.values()) one?.remove();
    registered.clear();
    for (const prompt of prompts) {
      try {
        registered.set(prompt.name, registerPrompt(server, prompt));
      } catch {
        // The SDK refuses a name that is registered.
      }
    }
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

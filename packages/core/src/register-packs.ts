import { createCatalog } from "./catalog.ts";
import { createDispatcher } from "./dispatch.ts";
import type { Pack, RegisterOptions } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import { followPrompts, registerPrompts } from "./register-prompts.ts";
import { registerTools } from "./register-tools.ts";
import type { ToolHost } from "./tool-host.ts";

/**
 * Registers packs whose tools call each other, such as `undo` and the packs whose calls it takes back, on an `McpServer` of either SDK. `registerWith` does
 * the same for one pack.
 *
 * @throws Error if two packs have a tool of the same name
 */
export async function registerPacks(
  server: ToolHost,
  packs: readonly Pack[],
  { results = "both", readOnly, ...around }: RegisterOptions = {},
): Promise<void> {
  const catalog = await createCatalog({ packs }).view({ readOnly });
  const dispatcher = createDispatcher(catalog, around);
  const entries = await catalog.entries();
  registerTools(server, entries, { dispatcher, results });
  const callable = new Set(entries.map(({ tool }) => tool.name));
  const isShown = ({ tool }: Prompt) => tool === undefined || callable.has(tool);
  for (const { prompts = [], promptSource } of packs) {
    registerPrompts(server, prompts.filter(isShown));
    if (promptSource !== undefined) await followPrompts(server, promptSource);
  }
}

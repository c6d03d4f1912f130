import { buildCallArguments, readCallArguments, printOutcome } from "@toolpacks/tool-commands";
import type { Io } from "@toolpacks/terminal";
import { withToolSource, type ToolFlags } from "./tool-source.ts";

/** `toolpacks call`: calls one tool by its name and prints the result. */
export async function call(io: Io, flags: ToolFlags, ...[name, words]: [string, readonly string[]]): Promise<number> {
  const given = await readCallArguments(io, words);
  return withToolSource({ io, flags }, async (source) => {
    // A name that cannot be called is refused by the call itself.
    const tool = given.pairs.length === 0 ? undefined : await source.tool(name).catch(() => undefined);
    const args = buildCallArguments(given, (await tool?.schemas())?.input);
    return printOutcome(io, await source.call({ name, args, needsValue: flags.json === true }), flags);
  });
}

import type { Io } from "@toolpacks/terminal";
import { buildCallArguments, readCallArguments } from "./call-arguments.ts";
import { printOutcome } from "./print-outcome.ts";
import { withToolSource, type ToolFlags, type ToolProgram } from "./tool-program.ts";

interface NamedArguments {
  readonly flags: ToolFlags;
  readonly name: string;
  /** The arguments as `readCallArguments` reads them. */
  readonly words: readonly string[];
}

/** Calls one tool by its name and prints the result. Resolves with the exit code. */
export async function callTool(io: Io, tools: ToolProgram, { flags, name, words }: NamedArguments): Promise<number> {
  const given = await readCallArguments(io, words);
  return withToolSource(io, { tools, flags }, async (source) => {
    // A name that cannot be called is refused by the call itself.
    const tool = given.pairs.length === 0 ? undefined : await source.tool(name).catch(() => undefined);
    const args = buildCallArguments(given, (await tool?.schemas())?.input);
    return printOutcome(io, await source.call({ name, args, needsValue: flags.json === true }), flags);
  });
}

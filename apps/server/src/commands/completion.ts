import { createProgram } from "../command-line/show-help.ts";
import { bashScript } from "../completion/bash-script.ts";
import { commandWords } from "../completion/command-words.ts";
import { fishScript } from "../completion/fish-script.ts";
import { zshScript } from "../completion/zsh-script.ts";
import type { Io } from "../io.ts";
import { createRuntime } from "../mount/runtime.ts";
import { print, writeOutput } from "../print.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export type Completion = keyof typeof scripts | "tools";

/** `toolpacks completion <shell>`: prints a script for the shell. For `tools`, prints the names of the tools, which the scripts complete for `call`. */
export async function completion(io: Io, _flags: unknown, shell: Completion): Promise<void> {
  if (shell !== "tools") return void writeOutput(io, scripts[shell](commandWords(createProgram(io))));
  const { surface, finish } = await createRuntime({ logLevel: "silent" }, { io });
  // Other servers are not started: their tools are known from the last time.
  const tools = [...(await surface.corePack.tools()), ...(await surface.catalog.entries()).map(({ tool }) => tool)];
  await finish();
  print(io, ...tools.map(({ name }) => name));
}

import type { Outcome } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import type { Io } from "@toolpacks/terminal";
import type { LogLevel } from "../log.ts";
import type { CommandTool } from "./command-tool.ts";
import type { NamedTool } from "./tool-words.ts";

/** The flags of a command that calls tools. */
export interface ToolFlags extends Flags {
  /** Address of a running `serve --http`, whose tools are called in place of those of this process. */
  readonly url?: string;
  readonly json?: boolean;
}

export interface CommandCall {
  readonly name: string;
  readonly args: unknown;
  /** Whether the structured value is needed. Without it, the result may be a text alone. */
  readonly needsValue: boolean;
}

/** Tools that a command calls, with the policy, rights and traces of a model's call. */
export interface ToolSource {
  /** The tool that the first words name. */
  find(words: readonly string[]): Promise<NamedTool | undefined>;
  /** The tool of a name or an alias. @throws ToolError for a tool that does not exist or cannot be called */
  tool(name: string): Promise<CommandTool>;
  /** The tools of the pack that a word names. Undefined: it names none. A server may not list all of them. */
  toolsOf(pack: string): Promise<readonly CommandTool[] | undefined>;
  /** The names of the packs, as far as they are known. */
  readonly packs: readonly string[];
  /** Calls a tool. Never rejects for a failure of the tool. */
  call(call: CommandCall): Promise<Outcome>;
  close(): Promise<void>;
}

interface SourceUse {
  readonly io: Io;
  readonly flags: ToolFlags;
  /** Level of the log, if no flag sets one. Default `error`. */
  readonly quiet?: LogLevel;
}

/** Runs a function with the tools of the server that `--url` or `$TOOLPACKS_URL` names, or else with the tools that the flags select. */
export async function withToolSource<T>(use: SourceUse, work: (source: ToolSource) => Promise<T>): Promise<T> {
  const url = use.flags.url ?? use.io.env["TOOLPACKS_URL"];
  const source = url
    ? await (await import("./server-tools.ts")).connectTools(use.io, url)
    : await (await import("./runtime-tools.ts")).openTools(use.io, use.flags, use.quiet);
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

import type { Program, SharedFlags } from "@toolpacks/command-line";
import type { Option } from "commander";
import type { Io } from "@toolpacks/terminal";
import { openMounted, type MountedTools } from "./mounted-tools.ts";
import { connectTools, type KnownPack } from "./server-tools.ts";
import type { ToolSource } from "./command-tool.ts";

/** The flags of a command that calls tools. */
export interface ToolFlags {
  /** Address of a running server, whose tools are called in place of those of this process. */
  readonly url?: string;
  readonly json?: boolean;
}

/** A program with a command for each tool of its packs. */
export interface ToolProgram {
  readonly program: Program;
  /** The flags that select the tools of this process. */
  readonly mountFlags: SharedFlags;
  /** `--json` and `--url`, the flags of each command that calls a tool, besides those of the tool. */
  readonly callFlags: readonly Option[];
  /** Packs that the program knows before anything is mounted. */
  readonly packs: readonly KnownPack[];
  /** Mounts the tools that the flags select. Silent for completion, which must not write to stderr. */
  readonly mount: (io: Io, flags: ToolFlags, isSilent: boolean) => Promise<MountedTools>;
  /** Prefix of the variables `_URL` and `_TOKEN`, which name a running server and the token for it. */
  readonly variables: string;
}

/** Runs a function with the tools of the server that `--url` or its variable names, or else with the tools that the flags select. */
export async function withToolSource<T>(
  io: Io,
  { tools, flags }: { readonly tools: ToolProgram; readonly flags: ToolFlags },
  work: (source: ToolSource) => Promise<T>,
): Promise<T> {
  const { packs, variables } = tools;
  const url = flags.url ?? io.env[`${variables}_URL`];
  const source = url
    ? await connectTools(io, { url, token: io.env[`${variables}_TOKEN`], packs })
    : openMounted(io, await tools.mount(io, flags, false));
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

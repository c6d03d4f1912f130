import type { Flags } from "../config/settings.ts";
import type { Io } from "@toolpacks/terminal";
import type { LogLevel } from "../log.ts";
import type { ToolSource } from "@toolpacks/tool-commands";

/** The flags of a command that calls tools. */
export interface ToolFlags extends Flags {
  /** Address of a running `serve --http`, whose tools are called in place of those of this process. */
  readonly url?: string;
  readonly json?: boolean;
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
    ? await connect(use.io, url)
    : await (await import("./runtime-tools.ts")).openTools(use.io, use.flags, use.quiet);
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

async function connect(io: Io, url: string): Promise<ToolSource> {
  const [{ connectTools }, { bundledPacks }] = await Promise.all([
    import("@toolpacks/tool-commands"),
    import("../mount/bundled-packs.ts"),
  ]);
  return connectTools(io, { url, token: io.env["TOOLPACKS_TOKEN"], packs: bundledPacks });
}

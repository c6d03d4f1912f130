import path from "node:path";
import type { UpstreamOptions } from "@toolpacks/upstream";
import { CaseError } from "../case-error.ts";
import type { ToolClient } from "../tool-client.ts";

/** The flags that select the server under test. At most one of `command`, `url` and `config` is set. */
export interface ServerFlags {
  /** The program and its arguments after `--`. */
  readonly command?: readonly string[] | undefined;
  readonly url?: string;
  /** A file with `mcpServers`. */
  readonly config?: string;
  /** Name of the server in `mcpServers`. */
  readonly server?: string;
}

/** A server whose tools are under test. */
export interface ConnectedServer {
  readonly client: ToolClient;
  close(): Promise<void>;
}

/**
 * Starts the server that the flags name, or connects to it.
 *
 * @returns undefined when the flags name no server
 * @throws CaseError when the flags are wrong; ToolError when the server cannot be reached
 */
export async function connectServerUnderTest(flags: ServerFlags): Promise<ConnectedServer | undefined> {
  const options = await serverOptions(flags);
  if (options === undefined) return undefined;
  const { connectServer } = await import("@toolpacks/upstream");
  const client = await connectServer(options);
  return { client, close: () => client.close() };
}

/** The server's name in error messages. */
const name = "server";

async function serverOptions(flags: ServerFlags): Promise<UpstreamOptions | undefined> {
  const { command, url, config, server } = flags;
  if ([command, url, config].filter((one) => one !== undefined).length > 1)
    throw new CaseError("expected one server under test: --url, --config, or a command after --");
  if (server !== undefined && config === undefined)
    throw new CaseError("--server: expected --config <file>, the file that has a server of this name");
  if (config !== undefined) return configuredServer(config, server);
  if (url !== undefined) return { name, url: checkedUrl(url) };
  if (command === undefined) return undefined;
  const [program, ...args] = command;
  if (program === undefined || program === "")
    throw new CaseError("--: expected a command after it, such as npx toolpacks serve");
  return { name, command: program, args };
}

function checkedUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new CaseError("--url: expected an address: http://localhost:3000/mcp");
}

async function configuredServer(file: string, wanted: string | undefined): Promise<UpstreamOptions> {
  const [{ readServers }, { checkBlock, refusalText }] = await Promise.all([
    import("./read-servers.ts"),
    import("@toolpacks/upstream/server-block"),
  ]);
  const servers = Object.entries(readServers(file));
  const [found, ...others] = wanted === undefined ? servers : servers.filter(([one]) => one === wanted);
  if (found === undefined || others.length > 0) {
    const names = servers.map(([one]) => one).join(", ");
    throw new CaseError(
      names === "" ? `${file}: expected a server under mcpServers` : `--server: expected one of ${file}: ${names}`,
    );
  }
  const [block, value] = found;
  try {
    const here = path.dirname(path.resolve(file));
    return { ...checkBlock(value, { here, environment: process.env }).options, name } as UpstreamOptions;
  } catch (error) {
    throw new CaseError(`${file}: mcpServers.${block}: ${refusalText(error)}`);
  }
}

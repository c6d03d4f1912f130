import path from "node:path";
import { ConfigurationError, renderFailure, ToolError } from "@toolpacks/core";
import type { UpstreamOptions } from "@toolpacks/upstream";
import { z } from "zod";
import { openBoxed, type Boxing } from "../open-boxed.ts";
import type { OpenTools } from "../open-tools.ts";
import { simulated } from "../simulated/simulated.ts";
import { packClient } from "../tool-client.ts";

export interface ServerFlags {
  /** The program and its arguments after `--`. */
  readonly command?: readonly string[] | undefined;
  readonly url?: string;
  readonly config?: string;
  readonly server?: string;
}

export interface ToolSource {
  /** Opens the tools for one conversation, without handles and simulated files of earlier conversations. */
  readonly open: () => Promise<OpenTools>;
  close(): Promise<void>;
}

/**
 * The tools of a server, which is started or connected to once; the simulated tools when the flags name no server.
 *
 * @throws ConfigurationError when the flags are wrong or the server cannot be reached
 */
export async function openSource(flags: ServerFlags, boxing: Boxing): Promise<ToolSource> {
  const options = await serverOptions(flags);
  if (options === undefined) return { open: () => openBoxed(packClient(simulated()), boxing), close: async () => {} };
  const { connectServer } = await import("@toolpacks/upstream");
  const client = await connectServer(options).catch((error: unknown) => {
    throw ToolError.is(error) ? new ConfigurationError(renderFailure(error)) : error;
  });
  return { open: () => openBoxed(client, boxing), close: () => client.close() };
}

const name = "server";

async function serverOptions(flags: ServerFlags): Promise<UpstreamOptions | undefined> {
  const { command, url, config, server } = flags;
  if ([command, url, config].filter((one) => one !== undefined).length > 1)
    throw new ConfigurationError("expected one server under test: --url, --config, or a command after --");
  if (server !== undefined && config === undefined)
    throw new ConfigurationError("--server: expected --config <file>, the file that has a server of this name");
  if (config !== undefined) return configuredServer(config, server);
  if (url !== undefined) return { name, url: checkedUrl(url) };
  if (command === undefined) return undefined;
  const [program, ...args] = command;
  if (program === undefined || program === "")
    throw new ConfigurationError("--: expected a command after it, such as npx toolpacks serve");
  return { name, command: program, args };
}

function checkedUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new ConfigurationError("--url: expected an address: http://localhost:3000/mcp");
}

/** A config file of a client or of `toolpacks`. The user names the file, so what it says may be run. */
const configSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

async function configuredServer(file: string, wanted: string | undefined): Promise<UpstreamOptions> {
  const { readConfig } = await import("@toolpacks/settings");
  const { checkBlock, refusalText } = await import("@toolpacks/upstream/server-block");
  const read = await readConfig({ schema: async () => configSchema }, file);
  const servers = Object.entries(read.config.mcpServers);
  const [found, ...others] = wanted === undefined ? servers : servers.filter(([one]) => one === wanted);
  if (found === undefined || others.length > 0) {
    const names = servers.map(([one]) => one).join(", ");
    throw new ConfigurationError(
      names === "" ? `${file}: expected a server under mcpServers` : `--server: expected one of ${file}: ${names}`,
    );
  }
  const [block, value] = found;
  try {
    const here = path.dirname(path.resolve(file));
    return { ...checkBlock(value, { here, environment: process.env }).options, name } as UpstreamOptions;
  } catch (error) {
    throw new ConfigurationError(`${file}: mcpServers.${block}: ${refusalText(error)}`);
  }
}

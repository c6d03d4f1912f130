import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import type { ToolClient } from "@toolpacks/cases";
import type { UpstreamOptions } from "@toolpacks/upstream";
import { readConfig } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { readBlock } from "../server-block.ts";

/** A server whose tools are under test. */
export interface ConnectedServer {
  readonly client: ToolClient;
  close(): Promise<void>;
}

/**
 * Connects to the server that `--server` names: an address, a config file with `mcpServers` (`file#name` where it has several), or a
 * command.
 *
 * @throws ConfigurationError when it names none; ToolError when it cannot be reached
 */
export async function connectTo(server: string): Promise<ConnectedServer> {
  const { connectServer } = await import("@toolpacks/upstream");
  const client = await connectServer(await optionsOf(server));
  return { client, close: () => client.close() };
}

const configExtensions = new Set([".json", ".jsonc", ".yaml", ".yml", ".toml"]);

async function optionsOf(server: string): Promise<UpstreamOptions> {
  if (/^https?:\/\//.test(server)) return { name: "server", url: server };
  const [, file = server, name] = /^(.+?)(?:#([^#/\\]+))?$/.exec(server) ?? [];
  if (configExtensions.has(path.extname(file)) && existsSync(file)) return configured(file, name);
  const [command, ...args] = parseArgsStringToArgv(server);
  if (command === undefined) throw new ConfigurationError("--server: expected a command, an address or a config file");
  return { name: "server", command, args };
}

async function configured(file: string, wanted: string | undefined): Promise<UpstreamOptions> {
  const { config } = await readConfig(file);
  const blocks = Object.entries(config.mcpServers ?? {});
  const [found, ...others] = wanted === undefined ? blocks : blocks.filter(([name]) => name === wanted);
  if (found === undefined || others.length > 0) {
    const known = blocks.map(([name]) => `${file}#${name}`).join(", ") || "none in this file";
    throw new ConfigurationError(`--server: expected one of mcpServers: ${known}`);
  }
  const [name, block] = found;
  try {
    const here = path.dirname(path.resolve(file));
    return { ...readBlock(block, { here, environment: process.env }).options, name: "server" } as UpstreamOptions;
  } catch (error) {
    throw new ConfigurationError(
      `${file}: mcpServers.${name}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

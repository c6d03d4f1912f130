import type { Writable } from "node:stream";
import { waitForDrain } from "@toolpacks/bounded-io";
import type { PackLog } from "@toolpacks/core";
import { ConnectionLimit } from "../connection-limit.ts";
import type { HostOptions, UpstreamOptions } from "../options.ts";
import { UnsetVariable } from "../server-block/expand-variables.ts";
import { readBlock, refusalText } from "../server-block/server-block.ts";
import { upstream, type UpstreamPack } from "../upstream.ts";
import type { PlannedServer } from "./plan-servers.ts";

/** The packs of several servers. */
export interface ServerPacks {
  readonly packs: readonly UpstreamPack[];
  /** Servers whose blocks are invalid. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
  /** Problems in blocks: invalid blocks, and unknown fields. */
  readonly problems: readonly string[];
}

export interface ServerPacksOptions {
  /** Base of relative paths in blocks. */
  readonly directory: string;
  /** The variables that blocks may use. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: PackLog;
  /** Options of every pack. */
  readonly host: Pick<HostOptions, "firstListTimeoutSeconds" | "reserved" | "hintFlags" | "scope" | "state">;
  /** Id of the principal whose own servers are created. Undefined: the servers that all callers share. */
  readonly caller?: string | undefined;
  /** The limits of servers with an identity of each caller, by key. The packs of all principals share them. */
  readonly limits: Map<string, ConnectionLimit>;
  /** Where responses to the client are written. Other servers are not read from while many wait there. */
  readonly output?: Writable | undefined;
}

/**
 * Creates a pack for each planned server. No server is started or connected. An invalid block does not affect the others.
 *
 * Servers that all callers share are created once in a process. Servers with an identity of each caller are created for each principal. Such a server also
 * ends when its caller does not use it, or when too many callers do.
 */
export function serverPacks(servers: readonly PlannedServer[], options: ServerPacksOptions): ServerPacks {
  const { directory, environment, log, caller } = options;
  const packs: UpstreamPack[] = [];
  const leftOut: ServerPacks["leftOut"][number][] = [];
  const problems: string[] = [];
  for (const server of servers) {
    const { key, name, block } = server;
    try {
      const read = readBlock(block, { here: directory, environment });
      packs.push(upstream({ ...read.options, ...packOptions(server, options) } as UpstreamOptions));
      problems.push(...read.warnings.map((warning) => `mcpServers.${key}: ${warning}`));
    } catch (error) {
      const invalid = { name, ...blockError(key, error) };
      leftOut.push(invalid);
      problems.push(`mcpServers.${key} is left out: ${invalid.reason}`);
    }
  }
  // The blocks are the same for every principal.
  if (caller === undefined || caller === "") for (const problem of problems) log.warn(problem);
  return { packs, leftOut, problems };
}

function blockError(key: string, error: unknown) {
  return {
    reason: refusalText(error),
    hint:
      error instanceof UnsetVariable
        ? "Set it where the server is started."
        : `Fix its block: mcpServers.${key} in the config file.`,
  };
}

function packOptions(
  { key, name, avoid, isPerCaller }: PlannedServer,
  { log, host, caller, limits, output }: ServerPacksOptions,
): Partial<UpstreamOptions> {
  return {
    ...host,
    name,
    avoid: [...avoid],
    ...(isPerCaller && { caller, limit: limitOf(limits, key) }),
    log: (level, message) => log[level](`${name}: ${message}`),
    ...(output && { ready: () => clientReady(output) }),
  };
}

/** Maximum size in bytes of unread responses to the client. Beyond it, no more is read from other servers. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** Resolves when the client has read the pending responses; undefined when there are few. */
function clientReady(output: Writable): Promise<void> | undefined {
  return output.writableLength <= maxUnreadBytes ? undefined : waitForDrain(output);
}

function limitOf(limits: ServerPacksOptions["limits"], key: string): ConnectionLimit {
  const limit = limits.get(key) ?? new ConnectionLimit();
  limits.set(key, limit);
  return limit;
}

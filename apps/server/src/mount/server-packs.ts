import type { Writable } from "node:stream";
import { intentFields } from "@toolpacks/surface";
import {
  ConnectionLimit,
  upstream,
  type RemoteState,
  type UpstreamOptions,
  type UpstreamPack,
} from "@toolpacks/upstream";
import { UnsetVariable } from "@toolpacks/upstream/config";
import { readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { configFlags, type Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";
import type { LeftOut, MountPlan } from "./mount-plan.ts";
import type { PlannedServer } from "./plan-servers.ts";

/** The packs of other servers. */
export interface ServerPacks {
  readonly packs: readonly UpstreamPack[];
  /** Servers whose blocks are invalid. */
  readonly leftOut: readonly LeftOut[];
  /** Problems in blocks: invalid blocks, and unknown fields. */
  readonly problems: readonly string[];
}

export interface ServersContext {
  readonly settings: Pick<Settings, "file" | "io">;
  readonly log: Log;
  /** Id of the principal whose own servers are created. Undefined: the servers that all callers share. */
  readonly caller?: string;
  /** Storage of accepted tools and sign-ins. Undefined: files of the user's data folder. */
  readonly state?: RemoteState | undefined;
  /** The limits of servers with an identity of each caller, by key. The packs of all principals share them. */
  readonly limits: Map<string, ConnectionLimit>;
  /** Where responses to the client are written. Other servers are not read from while many wait there. */
  readonly output?: Writable | undefined;
}

/**
 * Creates a pack for each planned server. No server is started or connected. An invalid block does not affect the others.
 *
 * Servers that all callers share are created once in a process and ended with it. Servers with an identity of each caller are created for each
 * principal, and ended with the mounting of the principal. Such a server also ends when its caller does not use it, or when too many callers do.
 */
export function createServerPacks(plan: MountPlan, context: ServersContext): ServerPacks {
  const { settings, log, caller } = context;
  const { file, io } = settings;
  const packs: UpstreamPack[] = [];
  const leftOut: LeftOut[] = [];
  const problems: string[] = [];
  for (const server of plan.servers) {
    const { key, name, block } = server;
    try {
      const { options, warnings } = readBlock(block, {
        here: file?.directory ?? io.cwd,
        environment: io.env,
      });
      packs.push(upstream({ ...options, ...packOptions(server, plan, context) } as UpstreamOptions));
      problems.push(...warnings.map((warning) => `mcpServers.${key}: ${warning}`));
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
  plan: MountPlan,
  { settings: { file }, log, caller, state, limits, output }: ServersContext,
): Partial<UpstreamOptions> {
  const isTwoTool = plan.surface === "two-tool";
  return {
    name,
    avoid: [...avoid],
    // These surfaces list tools at the start. Tools of slow servers are added later.
    ...((isTwoTool || plan.surface === "auto") && { firstListTimeoutSeconds: 0 }),
    ...(isTwoTool && { reserved: [...intentFields] }),
    hintFlags: [...configFlags(file)],
    ...(file && { scope: file.path }),
    ...(isPerCaller && { caller, limit: limitOf(limits, key) }),
    ...(state && { state }),
    log: (level, message) => log[level](`${name}: ${message}`),
    ...(output && { ready: () => clientReady(output) }),
  };
}

/** Maximum size in bytes of unread responses to the client. Beyond it, no more is read from other servers. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** Resolves when the client has read the pending responses; undefined when there are few. */
function clientReady(output: Writable): Promise<void> | undefined {
  if (output.writableLength <= maxUnreadBytes) return undefined;
  return new Promise((resolve) => {
    const done = () => {
      output.off("drain", done).off("close", done);
      resolve();
    };
    output.on("drain", done).on("close", done);
  });
}

function limitOf(limits: ServersContext["limits"], key: string): ConnectionLimit {
  const limit = limits.get(key) ?? new ConnectionLimit();
  limits.set(key, limit);
  return limit;
}

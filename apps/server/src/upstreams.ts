import path from "node:path";
import { intentFields } from "@toolpacks/surface";
import type { UpstreamOptions, UpstreamPack } from "@toolpacks/upstream";
import { configFlags } from "./config/config-flags.ts";
import type { McpServerBlock } from "./config/config-schema.ts";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { expandVariables } from "./expand-variables.ts";
import type { Log } from "./log.ts";

/** Other servers as packs, and those that cannot be. */
export interface Upstreams {
  readonly packs: readonly UpstreamPack[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
}

/** Names and prefixes that are in use already. */
export interface Taken {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** Makes a pack of each server in `mcpServers`. None is started or connected by it. */
export async function createUpstreams(settings: Settings, taken: Taken, log: Log): Promise<Upstreams> {
  const blocks = Object.entries(settings.mcpServers);
  if (blocks.length === 0) return { packs: [], leftOut: [] };
  const { snakeCase, upstream } = await import("@toolpacks/upstream");
  const names = [...taken.names];
  const packs: UpstreamPack[] = [];
  const leftOut: Upstreams["leftOut"][number][] = [];
  for (const [given, block] of blocks) {
    const name = freeName(snakeCase(given), { names, prefixes: taken.prefixes });
    names.push(name);
    const reason = whyNot(name, block, settings);
    if (reason !== undefined) {
      leftOut.push({ name, ...reason });
      continue;
    }
    try {
      packs.push(upstream(optionsOf({ name, block, settings, log })));
    } catch (error) {
      const { file } = settings;
      throw new ConfigurationError(
        `${file?.path}: mcpServers.${given}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return { packs, leftOut };
}

/** `Sentry` is the facet `sentry`; what a pack of ours is called, or its tools begin with, gives way to it: `mcp-memory`. */
function freeName(words: string, { names, prefixes }: Taken): string {
  const longest = 36;
  const plain = (/^[a-z]/.test(words) ? words : `mcp_${words}`).replace(/_$/, "").slice(0, longest);
  const isFree = (name: string) => !names.includes(name) && !prefixes.includes(`${name.replaceAll("-", "_")}_`);
  const name = plain.replaceAll("_", "-").replace(/-+$/, "");
  if (isFree(name)) return name;
  if (isFree(`mcp-${name}`)) return `mcp-${name}`;
  for (let at = 2; ; at += 1) if (isFree(`mcp-${name}-${at}`)) return `mcp-${name}-${at}`;
}

function whyNot(name: string, block: McpServerBlock, { deny }: Settings) {
  if (block.disabled === true)
    return { reason: "it is disabled", hint: "Remove disabled from its block in mcpServers." };
  if (deny.value.includes(name)) return { reason: "it is denied", hint: `Remove ${name} from deny.` };
  try {
    expandVariables(block, process.env);
    return undefined;
  } catch (error) {
    return {
      reason: error instanceof Error ? error.message : String(error),
      hint: "Set it where the server is started.",
    };
  }
}

interface Given {
  readonly name: string;
  readonly block: McpServerBlock;
  readonly settings: Settings;
  readonly log: Log;
}

function optionsOf({ name, block, settings, log }: Given): UpstreamOptions {
  const { surface, facet, file } = settings;
  const isTwoTool = surface.value === "two-tool" && facet.value === undefined;
  return {
    ...blockOptions(block, file?.directory ?? process.cwd()),
    name,
    // Where tools are listed while starting, what is not known yet comes later.
    ...((isTwoTool || surface.value === "auto") && { patienceSeconds: 0 }),
    ...(isTwoTool && { reserved: [...intentFields] }),
    hintFlags: [...configFlags(file)],
    ...(file && { scope: file.path }),
    log: (level, message) => log[level](`${name}: ${message}`),
  } as UpstreamOptions;
}

/** What a block of `mcpServers` says, with variables in place. @param here where its paths begin @throws Error that names a variable that is not set */
export function blockOptions(block: McpServerBlock, here: string): Omit<UpstreamOptions, "name"> {
  const { disabled: _, type, cwd, command, url, ...rest } = expandVariables(block, process.env);
  const place =
    url === undefined
      ? { command, ...(cwd !== undefined && { cwd: path.resolve(here, cwd) }) }
      : { url, ...(type === "sse" && { transport: "sse" }) };
  return { ...rest, ...place };
}

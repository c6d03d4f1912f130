import { intentFields } from "@toolpacks/surface";
import { snakeCase, upstream, type UpstreamOptions, type UpstreamPack } from "@toolpacks/upstream";
import { UnsetVariable } from "@toolpacks/upstream/config-text";
import { isDisabled, readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { requireUnchanged } from "./trust/open-config.ts";
import { configFlags, type Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

/** The packs of other servers, and the servers that are left out. */
export interface Upstreams {
  readonly packs: readonly UpstreamPack[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
  /** Problems in blocks: invalid blocks, and unknown fields. */
  readonly problems: readonly string[];
}

/** Names and prefixes that other servers must not use. */
export interface ReservedNames {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** Creates a pack for each server in `mcpServers`. No server is started or connected. An invalid block does not affect the others. */
export function createUpstreams(settings: Settings, taken: ReservedNames, log: Log): Upstreams {
  const blocks = Object.entries(settings.mcpServers);
  const names = facetNames(Object.keys(settings.mcpServers), taken);
  const prefixes = [...taken.prefixes, ...names.map(prefixOf)];
  const packs: UpstreamPack[] = [];
  const leftOut: Upstreams["leftOut"][number][] = [];
  const problems: string[] = [];
  for (const [at, [key, block]] of blocks.entries()) {
    const name = names[at] ?? key;
    const avoid = prefixes.filter((prefix) => prefix !== prefixOf(name) && prefix.startsWith(prefixOf(name)));
    const exclusion = exclusionReason(name, isDisabled(block), settings);
    if (exclusion !== undefined) {
      leftOut.push({ name, ...exclusion });
      continue;
    }
    try {
      const { options, warnings } = readBlock(block, blockContext(settings));
      packs.push(upstream({ ...options, ...surfaceOptions(name, settings, log), avoid } as UpstreamOptions));
      problems.push(...warnings.map((warning) => `mcpServers.${key}: ${warning}`));
    } catch (error) {
      const invalid = { name, ...blockError(key, error) };
      leftOut.push(invalid);
      problems.push(`mcpServers.${key} is left out: ${invalid.reason}`);
    }
  }
  for (const problem of problems) log.warn(problem);
  return { packs, leftOut, problems };
}

/** The facet names of servers, from their keys in `mcpServers`. */
export function facetNames(keys: readonly string[], taken: ReservedNames): readonly string[] {
  const names: string[] = [];
  for (const key of keys) names.push(freeName(snakeCase(key), { ...taken, names: [...taken.names, ...names] }));
  return names;
}

/** Derives a free facet name: `Sentry` becomes `sentry`. A name of a bundled pack or of its tools gets a prefix: `mcp-memory`. */
function freeName(words: string, { names, prefixes }: ReservedNames): string {
  const maxLength = 36;
  const plain = (/^[a-z]/.test(words) ? words : `mcp_${words}`).replace(/_$/, "").slice(0, maxLength);
  const isFree = (name: string) => !names.includes(name) && !prefixes.includes(prefixOf(name));
  const name = plain.replaceAll("_", "-").replace(/-+$/, "");
  if (isFree(name)) return name;
  if (isFree(`mcp-${name}`)) return `mcp-${name}`;
  for (let at = 2; ; at += 1) if (isFree(`mcp-${name}-${at}`)) return `mcp-${name}-${at}`;
}

/** The prefix of a server's tool names. */
function prefixOf(name: string): string {
  return `${name.replaceAll("-", "_")}_`;
}

function exclusionReason(name: string, isDisabled: boolean, { deny }: Settings) {
  if (isDisabled) return { reason: "it is disabled", hint: "Remove disabled from its block in mcpServers." };
  if (deny.value.includes(name)) return { reason: "it is denied", hint: `Remove ${name} from deny.` };
  return undefined;
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

function blockContext({ file }: Settings) {
  return { here: file?.directory ?? process.cwd(), environment: process.env };
}

function surfaceOptions(name: string, { surface, facet, file }: Settings, log: Log): Partial<UpstreamOptions> {
  const isTwoTool = surface.value === "two-tool" && facet.value === undefined;
  return {
    name,
    // These surfaces list tools at the start. Tools of slow servers are added later.
    ...((isTwoTool || surface.value === "auto") && { patienceSeconds: 0 }),
    ...(isTwoTool && { reserved: [...intentFields] }),
    hintFlags: [...configFlags(file)],
    ...(file && { scope: file.path, admit: () => requireUnchanged(file) }),
    log: (level, message) => log[level](`${name}: ${message}`),
    ready: clientReady,
  };
}

/** Maximum size in bytes of unread responses to the client. Beyond it, no more is read from other servers. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** Resolves when the client has read the pending responses; undefined when there are few. */
function clientReady(): Promise<void> | undefined {
  const { stdout } = process;
  if (stdout.writableLength <= maxUnreadBytes) return undefined;
  return new Promise((resolve) => {
    const done = () => {
      stdout.off("drain", done).off("close", done);
      resolve();
    };
    stdout.on("drain", done).on("close", done);
  });
}

import { intentFields } from "@toolpacks/surface";
import { snakeCase, upstream, type UpstreamOptions, type UpstreamPack } from "@toolpacks/upstream";
import { UnsetVariable } from "@toolpacks/upstream/config-text";
import { isDisabled, readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { configFlags, type Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

/** Other servers as packs, and those that cannot be. */
export interface Upstreams {
  readonly packs: readonly UpstreamPack[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
  /** What nobody meant: blocks that cannot be used, and fields that nobody heeds. */
  readonly problems: readonly string[];
}

/** Names and prefixes that are in use already. */
export interface Taken {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** Makes a pack of each server in `mcpServers`. None is started or connected by it, and none that is wrong costs the others. */
export function createUpstreams(settings: Settings, taken: Taken, log: Log): Upstreams {
  const blocks = Object.entries(settings.mcpServers);
  const names = facetNames(Object.keys(settings.mcpServers), taken);
  const prefixes = [...taken.prefixes, ...names.map(prefixOf)];
  const packs: UpstreamPack[] = [];
  const leftOut: Upstreams["leftOut"][number][] = [];
  const problems: string[] = [];
  for (const [at, [given, block]] of blocks.entries()) {
    const name = names[at] ?? given;
    const avoid = prefixes.filter((prefix) => prefix !== prefixOf(name) && prefix.startsWith(prefixOf(name)));
    const unwanted = whyUnwanted(name, isDisabled(block), settings);
    if (unwanted !== undefined) {
      leftOut.push({ name, ...unwanted });
      continue;
    }
    try {
      const { options, warnings } = readBlock(block, surroundings(settings));
      packs.push(upstream({ ...options, ...surfaceOptions(name, settings, log), avoid } as UpstreamOptions));
      problems.push(...warnings.map((warning) => `mcpServers.${given}: ${warning}`));
    } catch (error) {
      const wrong = { name, ...whyWrong(given, error) };
      leftOut.push(wrong);
      problems.push(`mcpServers.${given} is left out: ${wrong.reason}`);
    }
  }
  for (const problem of problems) log.warn(problem);
  return { packs, leftOut, problems };
}

/** The facet of each server in `mcpServers`, by the names that stand there. */
export function facetNames(given: readonly string[], taken: Taken): readonly string[] {
  const names: string[] = [];
  for (const one of given) names.push(freeName(snakeCase(one), { ...taken, names: [...taken.names, ...names] }));
  return names;
}

/** `Sentry` is the facet `sentry`; what a pack of ours is called, or its tools begin with, gives way to it: `mcp-memory`. */
function freeName(words: string, { names, prefixes }: Taken): string {
  const longest = 36;
  const plain = (/^[a-z]/.test(words) ? words : `mcp_${words}`).replace(/_$/, "").slice(0, longest);
  const isFree = (name: string) => !names.includes(name) && !prefixes.includes(prefixOf(name));
  const name = plain.replaceAll("_", "-").replace(/-+$/, "");
  if (isFree(name)) return name;
  if (isFree(`mcp-${name}`)) return `mcp-${name}`;
  for (let at = 2; ; at += 1) if (isFree(`mcp-${name}-${at}`)) return `mcp-${name}-${at}`;
}

/** What its tools' names begin with. */
function prefixOf(name: string): string {
  return `${name.replaceAll("-", "_")}_`;
}

function whyUnwanted(name: string, isDisabled: boolean, { deny }: Settings) {
  if (isDisabled) return { reason: "it is disabled", hint: "Remove disabled from its block in mcpServers." };
  if (deny.value.includes(name)) return { reason: "it is denied", hint: `Remove ${name} from deny.` };
  return undefined;
}

function whyWrong(given: string, error: unknown) {
  return {
    reason: refusalText(error),
    hint:
      error instanceof UnsetVariable
        ? "Set it where the server is started."
        : `Mend its block: mcpServers.${given} in the config file.`,
  };
}

function surroundings({ file }: Settings) {
  return { here: file?.directory ?? process.cwd(), environment: process.env };
}

function surfaceOptions(name: string, { surface, facet, file }: Settings, log: Log): Partial<UpstreamOptions> {
  const isTwoTool = surface.value === "two-tool" && facet.value === undefined;
  return {
    name,
    // Where tools are listed while starting, what is not known yet comes later.
    ...((isTwoTool || surface.value === "auto") && { patienceSeconds: 0 }),
    ...(isTwoTool && { reserved: [...intentFields] }),
    hintFlags: [...configFlags(file)],
    ...(file && { scope: file.path }),
    log: (level, message) => log[level](`${name}: ${message}`),
    ready: clientReady,
  };
}

/** Maximum size in bytes of the responses that the client has not read while more is read from other servers. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** Resolves when the client has read what waits for it; undefined where little does. */
function clientReady(): Promise<void> | undefined {
  const { stdout } = process;
  if (stdout.writableLength <= maxUnreadBytes) return undefined;
  return new Promise((resolve) => {
    const settle = () => {
      stdout.off("drain", settle).off("close", settle);
      resolve();
    };
    stdout.on("drain", settle).on("close", settle);
  });
}

import { isObject } from "@toolpacks/core";
import { snakeCase } from "../tool-names.ts";

/** A server of `mcpServers`, with the name of its pack. */
export interface PlannedServer {
  /** Its key in `mcpServers`. */
  readonly key: string;
  /** The name of its pack. */
  readonly name: string;
  /** Its block, which is validated when the pack is created. */
  readonly block: unknown;
  /** Whether each principal has its own process or sign-in (`identity: "caller"`). Otherwise, all callers share one. */
  readonly isPerCaller: boolean;
  /** Prefixes of other tools that begin with its own prefix. */
  readonly avoid: readonly string[];
}

/** The names of other packs, and the prefixes of their tools. */
export interface TakenNames {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** Gives each block of `mcpServers` a pack name that no other pack has. */
export function planServers(
  blocks: Iterable<readonly [key: string, block: unknown]>,
  taken: TakenNames,
): readonly PlannedServer[] {
  const names = [...taken.names];
  const named = [...blocks].map(([key, block]) => {
    const name = freeName(snakeCase(key), { names, prefixes: taken.prefixes });
    names.push(name);
    return { key, name, block };
  });
  const prefixes = [...taken.prefixes, ...named.map(({ name }) => toolPrefix(name))];
  return named.map(({ key, name, block }) => {
    const prefix = toolPrefix(name);
    const avoid = prefixes.filter((other) => other !== prefix && other.startsWith(prefix));
    return { key, name, block, isPerCaller: isObject(block) && block["identity"] === "caller", avoid };
  });
}

/** Derives a free name: `Sentry` becomes `sentry`. A name of another pack or of its tools gets a prefix: `mcp-memory`. */
function freeName(words: string, { names, prefixes }: TakenNames): string {
  const maxLength = 36;
  const plain = (/^[a-z]/.test(words) ? words : `mcp_${words}`).replace(/_$/, "").slice(0, maxLength);
  const isFree = (name: string) => !names.includes(name) && !prefixes.includes(toolPrefix(name));
  const name = plain.replaceAll("_", "-").replace(/-+$/, "");
  if (isFree(name)) return name;
  if (isFree(`mcp-${name}`)) return `mcp-${name}`;
  for (let at = 2; ; at += 1) if (isFree(`mcp-${name}-${at}`)) return `mcp-${name}-${at}`;
}

/** The prefix of the tool names of a server's pack. */
export function toolPrefix(name: string): string {
  return `${name.replaceAll("-", "_")}_`;
}

import { ConfigurationError, errorText, isObject } from "@toolpacks/core";
import { parseText, valueAt } from "./config-text.ts";
import type { Block } from "./entry-formats.ts";
import type { ClientFile } from "./known-clients.ts";
import { readText } from "./user-file.ts";

/** A server in a client's file. */
export interface ClientEntry {
  readonly name: string;
  /** The entry as the client writes it. */
  readonly entry: Block;
  /** The entry as a block of `mcpServers`; empty for an entry that only the client can run. */
  readonly block: Block;
  /** Why only the client can run it. */
  readonly problem?: string;
}

/**
 * Reads the servers in a client's file.
 *
 * @throws ConfigurationError if the file cannot be parsed, or has another form; Error if it is not a regular file, or over the limit
 */
export function readEntries({ path: file, at, client }: ClientFile, maxBytes?: number): readonly ClientEntry[] {
  const root = parseText({ file, format: client.format, text: readText(file, maxBytes) });
  if (root !== undefined && !isObject(root)) throw new ConfigurationError(`${file}: expected keys with values`);
  const servers = valueAt(root, at) ?? {};
  if (!isObject(servers)) throw new ConfigurationError(`${file}: ${at.join(".")}: expected servers by name`);
  return Object.entries(servers).map(([name, value]) => {
    const entry = isObject(value) ? value : {};
    try {
      return { name, entry, block: client.entries.toBlock(entry) };
    } catch (error) {
      return { name, entry, block: {}, problem: errorText(error) };
    }
  });
}

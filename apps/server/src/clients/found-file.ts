import type { ReadBlock } from "@toolpacks/upstream/server-block";
import type { Block } from "./entry-formats.ts";
import type { ClientFile } from "./known-clients.ts";

/** A server in a client's file. */
export interface FoundServer {
  readonly name: string;
  /** The entry as the client writes it. */
  readonly entry: Block;
  /** The entry as a block of `mcpServers`; empty for an entry that only the client can run. */
  readonly block: Block;
  /** The block to move, or the reason why the server is not moved. */
  readonly decision: { readonly moved: MovedServer } | { readonly keptBecause: string };
}

/** A server in the form that is written to our config file. */
export interface MovedServer extends ReadBlock {
  /** The client's block, with absolute paths in place of relative ones. */
  readonly block: Block;
}

/** A client's file that lists servers. */
export interface FoundFile extends ClientFile {
  readonly servers: readonly FoundServer[];
}

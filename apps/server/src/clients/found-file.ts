import type { ReadBlock } from "@toolpacks/upstream/server-block";
import type { ClientFile } from "./client-files.ts";

export type Block = Readonly<Record<string, unknown>>;

/** A server in a client's file. */
export interface FoundServer {
  readonly name: string;
  readonly block: Block;
  /** What it is moved as, or why it stays where it is. */
  readonly decision: { readonly moved: MovedServer } | { readonly keptBecause: string };
}

/** A server as it is written into our config file. */
export interface MovedServer extends ReadBlock {
  /** In its client's words; what it names by a relative path is found from everywhere. */
  readonly block: Block;
}

/** A client's file with servers in it. */
export interface FoundFile extends ClientFile {
  readonly servers: readonly FoundServer[];
}

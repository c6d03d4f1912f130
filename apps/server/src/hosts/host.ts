import type { Readable, Writable } from "node:stream";
import type { OnRoots } from "./client-roots.ts";
import type { Surface } from "@toolpacks/surface";

/** A surface on stdio, through one line of the SDK. */
export interface Host {
  /** Puts another surface in place and tells the client when the list differs. */
  update(surface: Surface): Promise<void>;
  close(): Promise<void>;
}

export interface HostOptions {
  readonly surface: Surface;
  readonly listChanged: boolean;
  readonly version: string;
  /** Where the protocol comes from. */
  readonly input: Readable;
  /** Where it goes. */
  readonly output: Writable;
  /** Absent where the client is not asked for its roots. */
  readonly onRoots?: OnRoots | undefined;
  readonly onError: (error: Error) => void;
}

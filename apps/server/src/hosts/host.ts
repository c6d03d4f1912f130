import type { Readable, Writable } from "node:stream";
import type { OnRoots } from "./client-roots.ts";
import type { Surface } from "@toolpacks/surface";

/** Serves a surface on stdio with one major version of the SDK. */
export interface Host {
  /** Replaces the surface, and notifies the client when the tool list differs. */
  update(surface: Surface): Promise<void>;
  close(): Promise<void>;
}

export interface HostOptions {
  readonly surface: Surface;
  readonly listChanged: boolean;
  readonly version: string;
  /** Stream of incoming messages. */
  readonly input: Readable;
  /** Stream for outgoing messages. */
  readonly output: Writable;
  /** Absent: the client is not asked for its roots. */
  readonly onRoots?: OnRoots | undefined;
  readonly onError: (error: Error) => void;
}

import type { Surface } from "@toolpacks/surface";
import type { PrincipalAccess } from "../access/access.ts";
import type { Settings } from "../config/settings.ts";

/** Serves surfaces to MCP clients over one transport. */
export interface Host {
  /** Whether the host serves one client. Only then may the client's roots replace what is served. */
  readonly hasOneClient: boolean;
  /** Starts to serve. Resolves when clients can connect. */
  start(surfaceFor: SurfaceFor): Promise<RunningHost>;
  /** Gets the settings of each later runtime. A host reads its own settings at the start only. */
  onSettings?(settings: Settings): void;
}

export interface RunningHost {
  /** Accepts no further requests. Resolves when no response will be sent any more. */
  close(): Promise<void>;
  /** Resolves when the host can serve no longer, for example after its only client has disconnected. Never rejects. */
  readonly ended: Promise<void>;
}

/** The caller of requests, as the host has authenticated it. */
export interface Principal {
  /** The same for every request of the caller, on every replica. It is `ToolContext.principal` in the caller's calls, made by `principalOf`. */
  readonly id: string;
  /** What the caller may use. Undefined: everything that the settings allow, as for the user who started the server. */
  readonly access: PrincipalAccess | undefined;
}

/** The user who started the server. */
export const localPrincipal: Principal = { id: "", access: undefined };

/**
 * Resolves to what a principal may see and call. Principals with the same access share a surface. A host asks at every request, since the answer for a
 * known access is cached, or watches the surface for as long as it uses it. A surface that is neither watched nor running calls may be closed.
 *
 * @throws Error when the surface cannot be created, for example for a root that does not exist
 */
export type SurfaceFor = (principal: Principal) => Promise<ServedSurface>;

/** The surface of one principal's rights. It can be replaced while clients are connected. */
export interface ServedSurface {
  /** The surface for new requests. */
  current(): Surface;
  /** Whether the surface may be replaced. The host declares `listChanged` to its clients. */
  readonly mayChange: boolean;
  /** The same for principals that share the surface, on every replica. Absent: all principals of the host share it. */
  readonly scope?: string;
  /**
   * Calls the listener with each new surface that differs for a client. The surface is kept for as long as it is watched, or, with a user, for as long
   * as that uses it. Returns a function that stops it.
   */
  watch(listener: SurfaceListener, user?: SurfaceUser): () => void;
  /** Applies the roots of the host's only client. Absent: the host does not ask for roots. */
  readonly useRoots?: UseRoots | undefined;
}

/** Watches a surface, and often does not use it. */
export interface SurfaceUser {
  /** Whether a request or a stream uses the surface now. */
  isActive(): boolean;
  /** Called when the surface is dropped. The next request of its principals gets another one. */
  onDrop(): void;
}

/** Serves the new surface from now on, and notifies clients. Rejects when the previous surface is still served. */
export type SurfaceListener = (next: Surface) => Promise<unknown>;

/** Applies root URIs. Resolves when the surface of these roots is served. */
export type UseRoots = (uris: readonly string[]) => Promise<void>;

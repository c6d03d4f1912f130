import type { Principal } from "@toolpacks/access";
import type { Surface } from "@toolpacks/surface";

/** The user who started the server. */
export const localPrincipal: Principal = { id: "", access: undefined };

/** A host that serves. */
export interface RunningHost {
  /** Accepts no further requests. Resolves when no response will be sent any more. */
  close(): Promise<void>;
  /** Resolves when the host can serve no longer, for example after its only client has disconnected. Never rejects. */
  readonly ended: Promise<void>;
}

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

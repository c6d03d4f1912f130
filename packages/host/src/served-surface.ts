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
 * Resolves to what a principal may see and call. Principals with the same access share one. A host asks at every request, since the answer for a known
 * access is cached.
 *
 * @throws ConfigurationError when the settings do not allow what the access names, such as a root that does not exist
 */
export type SurfaceFor = (principal: Principal) => Promise<ServedSurface>;

/** The surface of one principal's rights. `{ current: surface }` is one that never changes. */
export interface ServedSurface {
  /** The surface for new requests. A host reads it at each request. */
  readonly current: Surface;
  /** Whether the surface may be replaced. The host declares `listChanged` to its clients. Default false. */
  readonly mayChange?: boolean;
  /** The same for principals that share the surface, on every replica. Absent: all principals of the host share it. */
  readonly scope?: string;
  /** Marks the surface as used until the returned function is called. A used surface is not dropped. */
  use?(): () => void;
  /** Tells of each new surface. Returns a function that stops it. */
  watch?(watcher: SurfaceWatcher): () => void;
  /** Applies the roots of the host's only client. Absent: the host does not ask for roots. */
  readonly useRoots?: UseRoots | undefined;
}

export interface SurfaceWatcher {
  /** Serves the new surface from now on, and notifies clients of what has changed for them. Rejects when the previous surface is still served. */
  replace(next: Surface): Promise<unknown>;
  /** Called when the surface is dropped. The next request of its principals gets another one. */
  drop?(): void;
}

/** Applies root URIs. Resolves when the surface of these roots is served. */
export type UseRoots = (uris: readonly string[]) => Promise<void>;

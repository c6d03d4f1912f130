import type { Surface } from "@toolpacks/surface";
import type { ServedSurface, SurfaceListener, SurfaceUser } from "./served-surface.ts";

/** A served surface, and the way to replace it. */
export interface ReplaceableSurface {
  readonly served: ServedSurface;
  /** Whether anything uses the surface, such as a connection, a stream or a request. */
  isInUse(): boolean;
  /** Tells its users that the surface is dropped. */
  drop(): void;
  /**
   * Serves another surface. If a client could see no difference, no listener is called, and the surface that is served already forwards to the other
   * one. Resolves when every listener has applied the surface, and rejects when one has failed.
   */
  readonly replace: (next: Surface) => Promise<void>;
}

export function replaceableSurface(
  first: Surface,
  options: Pick<ServedSurface, "mayChange" | "useRoots" | "scope">,
): ReplaceableSurface {
  let current = forwarding(first);
  const listeners = new Map<SurfaceListener, SurfaceUser | undefined>();
  return {
    served: {
      ...options,
      current: () => current.surface,
      watch(listener, user) {
        // One function may be registered several times.
        const own: SurfaceListener = (next) => listener(next);
        listeners.set(own, user);
        return () => void listeners.delete(own);
      },
    },
    isInUse: () => [...listeners.values()].some((user) => user?.isActive() ?? true),
    drop() {
      for (const user of listeners.values()) user?.onDrop();
    },
    async replace(next) {
      const previous = current;
      if (listeners.size > 0 && (await looksSame(previous.surface, next))) {
        previous.forwardTo(next);
        return;
      }
      current = forwarding(next);
      const { surface } = current;
      // A connection that fails must not keep the others from the new surface.
      const results = await Promise.allSettled([...listeners.keys()].map(async (listener) => listener(surface)));
      const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
      if (errors.length === 1) throw errors[0];
      if (errors.length > 1) throw new AggregateError(errors, `${errors.length} connections keep the previous surface`);
      previous.forwardTo(next);
    },
  };
}

/** A surface that forwards to another one, which can be exchanged. */
function forwarding(first: Surface): { readonly surface: Surface; forwardTo(next: Surface): void } {
  let target = first;
  return {
    surface: new Proxy({} as Surface, { get: (_, key) => Reflect.get(target, key) as unknown }),
    forwardTo: (next) => void (target = next),
  };
}

/** Whether a client sees no difference between two surfaces. The lists of other servers and of stores are not compared, since each may have changed. */
async function looksSame(one: Surface, other: Surface): Promise<boolean> {
  if (hasChangingLists(one) || hasChangingLists(other)) return false;
  try {
    const [first, second] = await Promise.all([one, other].map(shownBy));
    return first === second;
  } catch {
    // A list that cannot be read fails again when a client asks for it.
    return false;
  }
}

/** Whether lists change while the settings stay: those of another server, and prompts of a store. */
export function hasChangingLists({ catalog }: Surface): boolean {
  return catalog.packs.some(({ remote, promptSource }) => remote !== undefined || promptSource !== undefined);
}

async function shownBy(surface: Surface): Promise<string> {
  const { name, instructions, results, cacheScope, catalog } = surface;
  const templates = catalog.packs.flatMap(({ resources }) => resources?.templates ?? []);
  const lists = [await surface.listing(), await surface.prompts(), templates];
  return JSON.stringify([name, instructions, results, cacheScope, lists]);
}

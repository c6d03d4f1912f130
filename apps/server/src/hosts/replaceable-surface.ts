import type { Surface } from "@toolpacks/surface";
import type { ServedSurface, SurfaceListener } from "./host.ts";

/** A served surface, and the way to replace it. */
export interface ReplaceableSurface {
  readonly served: ServedSurface;
  /** Serves another surface. Resolves when every listener has applied it, and rejects when one has failed. */
  readonly replace: (next: Surface) => Promise<void>;
}

export function replaceableSurface(
  first: Surface,
  options: Pick<ServedSurface, "mayChange" | "useRoots">,
): ReplaceableSurface {
  let current = first;
  const listeners = new Set<SurfaceListener>();
  return {
    served: {
      ...options,
      current: () => current,
      watch(listener) {
        // One function may be registered several times.
        const own: SurfaceListener = (next) => listener(next);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
    async replace(next) {
      current = next;
      // A connection that fails must not keep the others from the new surface.
      const results = await Promise.allSettled([...listeners].map(async (listener) => listener(next)));
      const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
      if (errors.length === 1) throw errors[0];
      if (errors.length > 1) throw new AggregateError(errors, `${errors.length} connections keep the previous surface`);
    },
  };
}

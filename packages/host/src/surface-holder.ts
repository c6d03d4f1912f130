import type { Surface } from "@toolpacks/surface";
import type { ServedSurface, SurfaceWatcher } from "./served-surface.ts";

/** A served surface that can be replaced while clients are connected. */
export class SurfaceHolder implements ServedSurface {
  readonly mayChange: boolean;
  readonly scope: string;
  readonly useRoots: ServedSurface["useRoots"];
  readonly #watchers = new Set<SurfaceWatcher>();
  #current: Surface;
  #uses = 0;

  constructor(first: Surface, { mayChange = false, scope = "", useRoots }: Omit<ServedSurface, "current"> = {}) {
    this.#current = first;
    this.mayChange = mayChange;
    this.scope = scope;
    this.useRoots = useRoots;
  }

  get current(): Surface {
    return this.#current;
  }

  /** Whether a connection, a stream or a request uses the surface. */
  get isUsed(): boolean {
    return this.#uses > 0;
  }

  use(): () => void {
    this.#uses += 1;
    let isUsing = true;
    return () => {
      if (isUsing) this.#uses -= 1;
      isUsing = false;
    };
  }

  watch(watcher: SurfaceWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Serves another surface. Resolves when every watcher has applied it, and rejects when one has failed. */
  async replace(next: Surface): Promise<void> {
    this.#current = next;
    // A connection that fails must not keep the others from the new surface.
    const results = await Promise.allSettled([...this.#watchers].map(async (watcher) => watcher.replace(next)));
    const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} connections keep the previous surface`);
  }

  /** Tells the watchers that the surface is dropped. */
  drop(): void {
    for (const watcher of this.#watchers) watcher.drop?.();
  }
}

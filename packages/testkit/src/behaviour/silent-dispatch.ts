import { createCatalog, createDispatcher, type Dispatcher, type Interceptor, type Pack } from "@toolpacks/core";

/** A dispatcher of one pack that collects bugs instead of printing them. */
export interface SilentDispatcher extends Dispatcher {
  /** The errors that were not ToolErrors, oldest first. */
  readonly bugs: readonly unknown[];
}

export function silentDispatcher(pack: Pack, interceptors: readonly Interceptor[] = []): SilentDispatcher {
  const bugs: unknown[] = [];
  const catalog = createCatalog({ packs: [pack] });
  return { ...createDispatcher(catalog, { interceptors, onBug: (error) => bugs.push(error) }), bugs };
}

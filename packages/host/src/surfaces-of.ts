import { rightsKey, type FullCatalog } from "@toolpacks/core";
import { createSurface } from "@toolpacks/surface";
import { LRUCache } from "lru-cache";
import type { ServedSurface, SurfaceFor } from "./served-surface.ts";

/** Maximum number of surfaces that are kept. One that is dropped is created again at its next use. */
const maxSurfaces = 256;

/** Serves each principal what its access grants of a catalog that never changes. Principals with the same access share a surface. */
export function surfacesOf(catalog: FullCatalog): SurfaceFor {
  const surfaces = new LRUCache<string, Promise<ServedSurface>>({ max: maxSurfaces });
  return ({ access }) => {
    const rights = { grants: access?.grants };
    const scope = rightsKey(rights);
    const surface = surfaces.get(scope) ?? createSurface({ catalog, rights }).then((current) => ({ current, scope }));
    surfaces.set(scope, surface);
    return surface;
  };
}

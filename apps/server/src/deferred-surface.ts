import type { Surface } from "@toolpacks/surface";

/** The surface that packs will be mounted on, for the one among them that calls the others' tools. */
export function deferredSurface(): {
  readonly surface: () => Surface;
  readonly setSurface: (surface: Surface) => void;
} {
  let mounted: Surface | undefined;
  return {
    surface() {
      if (mounted === undefined) throw new Error("a workflow ran before its pack was mounted");
      return mounted;
    },
    setSurface: (surface) => (mounted = surface),
  };
}

import type { Surface } from "@toolpacks/surface";

/** A surface that is set later. The workflows pack needs it to call tools of other packs, and is created before it. */
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

export { attach, mount, type AttachOptions, type Mounted, type MountableServer, type ProtocolServer } from "./mount.ts";
export { shortSignature, signature } from "./signature.ts";
export { createSurface, surfaceNames, type Surface, type SurfaceName, type SurfaceOptions } from "./surface.ts";
export { coreFacet } from "./core-tools.ts";
export { intentFields } from "./two-tool/pack-tools.ts";

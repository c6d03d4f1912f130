export {
  attach,
  mount,
  surfaceMethods,
  type AttachOptions,
  type ChangedLists,
  type Mounted,
  type SurfaceMethods,
} from "./mount.ts";
export type { MountableServer, ProtocolServer } from "./protocol-server.ts";
export { createSurface, surfaceNames, type Surface, type SurfaceName, type SurfaceOptions } from "./surface.ts";
export { intentFields } from "./two-tool/intent-fields.ts";
export { createInteractiveCalls, type InteractiveCalls } from "./interactive-calls.ts";

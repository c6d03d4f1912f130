export {
  defaultHttpSettings,
  type HttpHostOptions,
  type HttpObservability,
  type HttpSettings,
} from "./http/http-host-options.ts";
export { type HttpConfig, httpSchema } from "./http/http-schema.ts";
export { type HttpFlags, resolveHttp, type ResolvedHttp } from "./http/resolve-http.ts";
export { type Readiness, storeReadiness } from "./http/readiness.ts";
export { surviveRejections, untilHostEnds } from "./process-lifetime.ts";
export { type RunningHttpHost, serveHttp } from "./serve-http.ts";
export { type StdioHostOptions, serveStdio } from "./serve-stdio.ts";
export {
  type RunningHost,
  type ServedSurface,
  type SurfaceFor,
  type SurfaceWatcher,
  type UseRoots,
  localPrincipal,
} from "./served-surface.ts";
export {
  type BuiltSurface,
  type Callers,
  type OwnParts,
  ServedSurfaces,
  surfacesOf,
  type SurfaceSource,
} from "./served-surfaces.ts";
export { SurfaceHolder } from "./surface-holder.ts";

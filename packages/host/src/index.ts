export { callGraceMs } from "./call-grace.ts";
export type { HttpHostOptions, HttpObservability, HttpSettings } from "./http/http-host-options.ts";
export { storeReadiness, type Readiness } from "./http/readiness.ts";
export { SurfaceHolder } from "./surface-holder.ts";
export { serveHttp, type RunningHttpHost } from "./serve-http.ts";
export { serveStdio, type StdioHostOptions } from "./serve-stdio.ts";
export {
  localPrincipal,
  type RunningHost,
  type ServedSurface,
  type SurfaceFor,
  type SurfaceWatcher,
  type UseRoots,
} from "./served-surface.ts";

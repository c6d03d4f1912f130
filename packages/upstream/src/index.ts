export type { ToolChange } from "./acceptance.ts";
export { connectServer } from "./connect-server.ts";
export { upstreamSettings, type UpstreamLevel, type UpstreamLog, type UpstreamOptions } from "./options.ts";
export { snakeCase } from "./tool-names.ts";
export { upstream, type UpstreamPack, type UpstreamReport } from "./upstream.ts";

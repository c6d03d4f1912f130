export type { OfferChange } from "./acceptance.ts";
export { ConnectionLimit } from "./connection-limit.ts";
export { connectServer } from "./connect-server.ts";
export {
  parseUpstreamOptions,
  upstreamSettings,
  type UpstreamLevel,
  type UpstreamLog,
  type UpstreamOptions,
} from "./options.ts";
export { UnreadableState, type RemoteState, type StateKey } from "./remote-state.ts";

export { upstream, type UpstreamPack, type UpstreamReport } from "./upstream.ts";

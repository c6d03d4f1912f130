import type { RemoteLines, RemoteOptions } from "./remote-lines.ts";
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
export type { RemoteLines, RemoteOptions } from "./remote-lines.ts";

export { upstream, type UpstreamPack, type UpstreamReport } from "./upstream.ts";

/** Connects to a server over Streamable HTTP as lines. Its code is loaded at the call. */
export async function connectRemote(options: RemoteOptions): Promise<RemoteLines> {
  const { connectLines } = await import("./remote-lines.ts");
  return connectLines(options);
}

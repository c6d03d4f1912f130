export { serverRelay, type ServerRelay, type ServerRelayOptions } from "./server-relay.ts";

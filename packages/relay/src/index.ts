export { createRelay, type Relay, type RelayOptions, type RelaySettings } from "./create-relay.ts";
export type { RelayUnboxOptions } from "./unbox.ts";
export type { RelayReadRequest, RelayReply } from "./relay-read.ts";
export type { Boxer } from "./box/boxer.ts";
export type { Threshold, ThresholdSettings } from "./box/thresholds.ts";
export {
  connectRelay,
  type ConnectedRelay,
  type ConnectRelayOptions,
  type MessageStreams,
} from "./process/connect-relay.ts";
export { relayClient, type RelayableClient, type RelayClientOptions } from "./client/relay-client.ts";
export { formatHandle, handleModes, type HandleMode } from "./handle.ts";
export { memoryValues } from "./values/memory-values.ts";
export type { ByteRange, ValueInfo } from "@toolpacks/store";
export type { RelayLimits, RelayValues, WholeValue } from "./values/relay-values.ts";
export { storeValues, type StoreValuesOptions } from "./values/store-values.ts";

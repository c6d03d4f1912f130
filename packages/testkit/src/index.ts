export { type SlowCall } from "./behaviour/cancellation.ts";
export {
  resultText,
  type ConnectOptions,
  type PackConnection,
  type WireCallOptions,
  type WireTool,
} from "./connection.ts";
export { countTokens } from "./count-tokens.ts";
export { describeFolder } from "./describe-folder.ts";
export { createEscapeFolder, type EscapeFolder, type EscapeFolderOptions } from "./escape-folder.ts";
export { fuzzPack, type FuzzOptions } from "./fuzz/fuzz-pack.ts";
export { connectPack, hosts, type Host } from "./hosts.ts";
export {
  silence,
  startModelEndpoint,
  type AskedMessage,
  type AskedModel,
  type ModelAnswer,
  type ModelEndpoint,
  type ModelTurn,
  type ScriptedAnswer,
  type ScriptedCall,
} from "./model-endpoint.ts";
export { packContract, type PackContractOptions } from "./pack-contract.ts";
export type { CreatePack, PackUnderTest } from "./pack-under-test.ts";
export type { ExampleCalls } from "./rules/examples.ts";
export { packProblems } from "./rules/pack-problems.ts";
export { storeContract, type StoreContractOptions } from "./store/store-contract.ts";
export type { CreatePlace, StorePlace } from "./store/store-place.ts";

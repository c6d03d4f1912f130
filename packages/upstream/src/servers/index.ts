// A separate entry: a host without other servers does not load it.
export { serverPacks, type ServerPacks, type ServerPacksOptions } from "./server-packs.ts";
export { sharedCredentialWarnings } from "./shared-credentials.ts";

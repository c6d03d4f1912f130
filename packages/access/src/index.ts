export {
  accessSchema,
  rateSchema,
  type Access,
  type GrantedNames,
  type PrincipalAccess,
  type Rate,
  type RateDecision,
  type RateLimiter,
} from "./access.ts";
export { oauthSchema, urlSchema, type AccessSettings, type OAuthSettings } from "./access-settings.ts";
export type { Authenticator, Caller, Principal, Refusal } from "./authenticator.ts";
export { checkNames, type KnownNames } from "./check-names.ts";
export { describeAccess } from "./describe-access.ts";
export { inspectAuthentication, type AuthenticationReport } from "./inspect-authentication.ts";
export { namedAccesses, type NamedAccess } from "./named-accesses.ts";
export { canonicalName, hostName, isLoopback, networkOf, settingName, urlHost } from "./network-address.ts";
export { openAuthenticator } from "./open-authenticator.ts";
export { principalWithId } from "./principal-with-id.ts";
export { publicEndpoint } from "./resource.ts";
export {
  changeTokens,
  isExpired,
  isTokenName,
  readTokenFile,
  readTokens,
  tokenSubject,
  type TokenRecord,
} from "./token-file.ts";
export { createToken } from "./token.ts";
export { unionAccess } from "./union-access.ts";

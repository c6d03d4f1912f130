/** The SDKs' data of a validated access token. One OAuth client may serve many users. */
interface AuthInfo {
  readonly token?: unknown;
  readonly extra?: { readonly iss?: unknown; readonly sub?: unknown };
}

/**
 * The principal of a caller: the `sub` of the token's `extra`, otherwise the token. All callers without a credential, such as
 * on stdio, share one principal.
 */
export function principalOf(auth: unknown): string {
  if (auth === undefined || auth === null) return "";
  const { token, extra } = auth as AuthInfo;
  if (typeof extra?.sub === "string") return JSON.stringify(["subject", extra.iss, extra.sub]);
  return JSON.stringify(["token", typeof token === "string" ? token : auth]);
}

/** What the SDKs say of a validated access token. Its client may be the program of many users. */
interface AuthInfo {
  readonly token?: unknown;
  readonly extra?: { readonly iss?: unknown; readonly sub?: unknown };
}

/**
 * Whom a caller's values belong to: the subject of the token, as its `extra` says it, or whoever holds the same token. Callers without a
 * credential, such as all on stdio, are one.
 */
export function principalOf(auth: unknown): string {
  if (auth === undefined || auth === null) return "";
  const { token, extra } = auth as AuthInfo;
  if (typeof extra?.sub === "string") return JSON.stringify(["subject", extra.iss, extra.sub]);
  return JSON.stringify(["token", typeof token === "string" ? token : auth]);
}

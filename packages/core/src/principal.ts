import { createHash } from "node:crypto";

/** The SDKs' data of a validated access token. */
interface AuthInfo {
  readonly token?: unknown;
  readonly clientId?: unknown;
  readonly extra?: { readonly iss?: unknown; readonly sub?: unknown };
}

/** Maximum length of a principal's id. Stores index it, and limit indexed strings. */
const maxLength = 300;

/**
 * The id of the principal of a call, from the call's `authInfo`. Empty: the local user, or any caller of a server without authorization.
 *
 * A token's subject is preferred, because one OAuth client may serve many users. Without a subject it is the client, so that a new token of the same
 * client has the same id, and otherwise the token's hash. The id never contains a token.
 */
export function principalOf(auth: unknown): string {
  if (auth === undefined || auth === null) return "";
  const { token, clientId, extra } = auth as AuthInfo;
  const iss = extra?.iss ?? null;
  if (isName(extra?.sub)) return bounded(["subject", iss, extra.sub]);
  if (isName(clientId)) return bounded(["client", iss, clientId]);
  return bounded(["token", sha256(isName(token) ? token : (JSON.stringify(auth) ?? ""))]);
}

/**
 * The name of a principal in records that several principals share, such as the holder of a claim. Principals of different issuers have different names.
 * It contains no slash, control character or space.
 */
export function principalName(principal: string): string {
  const [type, issuer, name] = JSON.parse(principal) as readonly [string, unknown, unknown];
  if (typeof name !== "string") return `${type}:${String(issuer).slice(0, 16)}`;
  const at = typeof issuer === "string" ? `@${issuer.replace(/^https:\/\//, "")}` : "";
  const shown = `${type === "subject" ? "" : `${type}:`}${name}${at}`;
  if (!shown.isWellFormed()) return hashName(principal);
  const plain = shown.replaceAll(/[^\p{L}\p{N}._:@|+=-]/gu, encodeURIComponent);
  return plain.length <= maxNameLength ? plain : hashName(principal);
}

function hashName(principal: string): string {
  return `hash:${sha256(principal).slice(0, 16)}`;
}

const maxNameLength = 120;

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function bounded(parts: readonly unknown[]): string {
  const id = JSON.stringify(parts);
  return Buffer.byteLength(id) <= maxLength ? id : JSON.stringify(["hash", sha256(id)]);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

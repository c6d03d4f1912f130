import type { AuthInfo } from "@modelcontextprotocol/server";
import type { PrincipalAccess } from "./access.ts";

/** The caller of requests, as the host has authenticated it. */
export interface Principal {
  /** The same for every request of the caller, on every replica. It is `ToolContext.principal` in the caller's calls, made by `principalOf`. */
  readonly id: string;
  /** What the caller may use. Undefined: everything that the settings allow, as for the user who started the server. */
  readonly access: PrincipalAccess | undefined;
}

/** Recognizes the callers of an HTTP host by the credentials in their requests. */
export interface Authenticator {
  /**
   * Checks the credentials of one request. Never rejects.
   *
   * @param headers `headersDistinct` of Node's request. Its `headers` are accepted too, but Node drops a repeated `Authorization` there, which is
   *   then not refused.
   */
  authenticate(headers: NodeJS.Dict<string | string[]>): Promise<Caller | Refusal>;
  /** The JSON document at a public path of the authenticator, such as its metadata. Undefined: the path is not one of its own. */
  document?(path: string): object | undefined;
  /**
   * Calls the listener when credentials may have been revoked or their access may have changed. The host then checks the credentials of open streams
   * again. Returns a function that stops it.
   */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

/** The authenticated caller of a request. */
export interface Caller {
  readonly principal: Principal;
  /** What packs see of the caller, in `ToolContext.auth`. Its `token` is empty, so that no pack can pass the token on. Undefined for the local user. */
  readonly auth: AuthInfo | undefined;
  /** When the credentials expire, in ms since 1970. Undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** The response to a request whose credentials are missing, invalid or insufficient, or cannot be checked now. */
export interface Refusal {
  /** 400: malformed header. 401: no valid credentials. 403: too few rights. 503: the authorization server cannot be reached. */
  readonly status: 400 | 401 | 403 | 503;
  /** Value of the `WWW-Authenticate` header. Undefined with 503: new credentials would not help. */
  readonly challenge: string | undefined;
  /** Value of the `Retry-After` header in seconds. Undefined unless the status is 503. */
  readonly retryAfterSeconds?: number | undefined;
  readonly message: string;
}

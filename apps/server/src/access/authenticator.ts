import type { IncomingHttpHeaders } from "node:http";
import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Principal } from "../hosts/host.ts";

/** Recognizes the callers of an HTTP host by the credentials in their requests. */
export interface Authenticator {
  /** Checks the credentials of one request. Never rejects. */
  authenticate(headers: IncomingHttpHeaders): Promise<Caller | Refusal>;
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

/** A request whose credentials are missing, invalid or insufficient. */
export interface Refusal {
  readonly status: 401 | 403;
  /** Value of the `WWW-Authenticate` header. */
  readonly challenge: string;
  readonly message: string;
}

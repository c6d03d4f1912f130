import type { Access } from "./access.ts";

/** An authorization server whose access tokens are accepted. */
export interface OAuthSettings {
  /** The address in the `iss` of its tokens. */
  readonly issuer: string;
  /** The expected `aud` of tokens. Default: the address of this server. */
  readonly audience?: string | undefined;
  /** What each scope grants. A token with several scopes has what any of them grants. */
  readonly scopes: Readonly<Record<string, Access>>;
}

/** Where a server listens, and which credentials it accepts. */
export interface AccessSettings {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3333. */
  readonly port?: number;
  /** Path of the MCP endpoint. Default /mcp. */
  readonly path?: string;
  /** Address that clients use, behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** Absolute path of the token file. */
  readonly tokens?: string | undefined;
  readonly oauth?: OAuthSettings | undefined;
}

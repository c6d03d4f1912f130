import type { Refusal } from "./authenticator.ts";

/** The OAuth part of a challenge: where a client learns how to get a token, and for which scopes. */
export interface OAuthChallenge {
  /** Address of the protected-resource metadata. */
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
}

/** The refusals of one authenticator. No refusal holds anything of a request. */
export interface Refusals {
  /** For a request without a token. Without an `error`, as RFC 6750 requires. */
  readonly missing: Refusal;
  readonly malformed: Refusal;
  readonly insufficient: Refusal;
  /** @param description why the token is refused, in printable ASCII without quotes */
  readonly invalid: (description: string) => Refusal;
  readonly unavailable: (retryAfterSeconds: number) => Refusal;
}

export function createRefusals(oauth: OAuthChallenge | undefined): Refusals {
  const target = oauth && { resource_metadata: oauth.metadataUrl, scope: oauth.scopes.join(" ") };
  /** A `WWW-Authenticate` header. No value needs escaping: URLs and scopes have no quotes and no backslashes. */
  const challenge = (error: { readonly error?: string; readonly error_description?: string } = {}) => {
    const parameters = Object.entries({ ...(target ?? { realm: "toolpacks" }), ...error });
    return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
  };
  return {
    missing: {
      status: 401,
      challenge: challenge(),
      message: "a bearer token is required in the Authorization header",
    },
    malformed: {
      status: 400,
      challenge: challenge({
        error: "invalid_request",
        error_description: "expected one Authorization header with one bearer token",
      }),
      message: "expected one header Authorization: Bearer <token>",
    },
    insufficient: {
      status: 403,
      challenge: challenge({ error: "insufficient_scope", error_description: "the token has no scope of this server" }),
      message: `the token has no scope of this server; scopes: ${oauth?.scopes.join(" ") ?? "none"}`,
    },
    invalid: (description) => ({
      status: 401,
      challenge: challenge({ error: "invalid_token", error_description: description }),
      message: description,
    }),
    unavailable: (retryAfterSeconds) => ({
      status: 503,
      challenge: undefined,
      retryAfterSeconds,
      message: "the token cannot be checked now; try again later",
    }),
  };
}

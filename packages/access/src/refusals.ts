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
  const challenge = (error?: string, description?: string) => renderChallenge({ oauth, error, description });
  return {
    missing: {
      status: 401,
      challenge: challenge(),
      message: "a bearer token is required in the Authorization header",
    },
    malformed: {
      status: 400,
      challenge: challenge("invalid_request", "expected one Authorization header with one bearer token"),
      message: "expected one header Authorization: Bearer <token>",
    },
    insufficient: {
      status: 403,
      challenge: challenge("insufficient_scope", "the token has no scope of this server"),
      message: `the token has no scope of this server; scopes: ${oauth?.scopes.join(" ") ?? "none"}`,
    },
    invalid: (description) => ({
      status: 401,
      challenge: challenge("invalid_token", description),
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

interface Challenge {
  readonly oauth: OAuthChallenge | undefined;
  readonly error: string | undefined;
  readonly description: string | undefined;
}

/** Renders a `WWW-Authenticate` header. No value needs escaping: URLs and scopes have no quotes and no backslashes. */
function renderChallenge({ oauth, error, description }: Challenge): string {
  const parameters = {
    ...(oauth === undefined
      ? { realm: "toolpacks" }
      : { resource_metadata: oauth.metadataUrl, scope: oauth.scopes.join(" ") }),
    error,
    error_description: description,
  };
  const rendered = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value}"`],
  );
  return `Bearer ${rendered.join(", ")}`;
}

import type { AuthInfo } from "@modelcontextprotocol/server";
import { ConfigurationError, type PackLog, principalOf } from "@toolpacks/core";
import { errors, jwtVerify, type JWTPayload } from "jose";
import type { OAuthSettings } from "./access-settings.ts";
import { isLoopback } from "./network-address.ts";
import type { Caller, Refusal } from "./authenticator.ts";
import { CallerCache } from "./caller-cache.ts";
import { IssuerKeys, IssuerUnavailable, type IssuerKeysOptions } from "./issuer-keys.ts";
import type { Refusals } from "./refusals.ts";
import { plainUrl } from "./resource.ts";
import { unionAccess } from "./union-access.ts";

export interface AccessTokensOptions {
  readonly oauth: OAuthSettings;
  /** Address of this server, which is the default audience. */
  readonly resourceUrl: string;
  readonly refusals: Refusals;
  readonly log: PackLog;
  readonly keys?: Omit<IssuerKeysOptions, "issuer">;
}

/** Algorithms with a private key. With `HS256` and other shared-key algorithms, anyone with the public key could sign tokens. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** Allowed difference between the clocks of the authorization server and this machine, in seconds. */
const clockToleranceSeconds = 30;

/** Checks JWT access tokens of one authorization server (RFC 9068). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #keys: IssuerKeys;
  readonly #audience: string[];
  readonly #verified = new CallerCache();
  /** Whether the last token could not be checked. */
  #isUnavailable = false;

  /** @throws ConfigurationError for an issuer that cannot be used */
  constructor(options: AccessTokensOptions) {
    const { oauth, resourceUrl } = options;
    requireHttps(oauth.issuer);
    this.#options = options;
    this.#keys = new IssuerKeys({ ...options.keys, issuer: oauth.issuer });
    // Clients may write the address of this server with a slash at its end.
    this.#audience = oauth.audience === undefined ? [resourceUrl, `${resourceUrl}/`] : [oauth.audience];
  }

  async verify(token: string): Promise<Caller | Refusal> {
    const known = this.#verified.find(token);
    if (known !== undefined) return known;
    const result = await this.#verifyAnew(token);
    if ("principal" in result) this.#verified.add(token, result);
    return result;
  }

  async #verifyAnew(token: string): Promise<Caller | Refusal> {
    const { oauth, refusals, log } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, {
        algorithms,
        issuer: oauth.issuer,
        audience: this.#audience,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ["exp", "sub"],
      });
      if (this.#isUnavailable) log.info(`${oauth.issuer}: access tokens are checked again`);
      this.#isUnavailable = false;
      const problem = typeProblem(protectedHeader.typ) ?? claimProblem(payload);
      return problem === undefined ? this.#callerOf(payload) : refusals.invalid(problem);
    } catch (error) {
      if (error instanceof errors.JOSEError) return refusals.invalid(describeRefused(error));
      if (!this.#isUnavailable) log.error(`access tokens cannot be checked: ${describeFailure(error)}`);
      this.#isUnavailable = true;
      return refusals.unavailable(this.#keys.retrySeconds);
    }
  }

  #callerOf(payload: JWTPayload): Caller | Refusal {
    const { oauth, refusals } = this.#options;
    const scopes = scopesOf(payload);
    // The order of the configuration decides, so that the same scopes always grant the same.
    const granted = Object.keys(oauth.scopes).filter((name) => scopes.has(name));
    const accesses = granted.flatMap((name) => oauth.scopes[name] ?? []);
    if (accesses.length === 0) return refusals.insufficient;
    const { iss, sub, exp = 0, client_id: clientId, azp } = payload;
    const auth: AuthInfo = {
      token: "",
      clientId: [clientId, azp].find((one) => typeof one === "string") ?? "",
      scopes: granted,
      extra: { iss, sub },
    };
    return {
      principal: { id: principalOf(auth), access: unionAccess(accesses) },
      auth,
      expiresAt: (exp + clockToleranceSeconds) * 1_000,
    };
  }
}

/**
 * Fetches the metadata and the keys of an authorization server.
 *
 * @throws ConfigurationError for an issuer that cannot be used; IssuerUnavailable with the reason when its keys cannot be fetched
 */
export async function checkIssuer(issuer: string, options: Omit<IssuerKeysOptions, "issuer">): Promise<void> {
  requireHttps(issuer);
  await new IssuerKeys({ ...options, issuer }).check();
}

/** @throws ConfigurationError for an issuer that is not https or has parts that no issuer has */
function requireHttps(issuer: string): void {
  const { origin, protocol, hostname } = plainUrl(issuer, "http.oauth.issuer");
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw new ConfigurationError(
    `http.oauth.issuer: expected an https address, or http on a loopback address, received ${origin}`,
  );
}

/**
 * The problem of a token's type. A token without a type counts as a JWT: some authorization servers write none. Other types of JWT, such as
 * `logout+jwt`, are no access tokens.
 */
function typeProblem(type: unknown): string | undefined {
  if (type === undefined) return undefined;
  const name = typeof type === "string" ? type.toLowerCase().replace(/^application\//, "") : "";
  return ["jwt", "at+jwt"].includes(name) ? undefined : "the token is not an access token";
}

function claimProblem({ sub, cnf }: JWTPayload): string | undefined {
  if (typeof sub !== "string" || sub === "") return "the token has no sub";
  // Anyone who copied such a token could use it here, because this server does not check the proof.
  return cnf === undefined ? undefined : "the token is bound to a key, which this server cannot check";
}

/** The scopes of a token, in `scope` (RFC 9068) or in the `scp` of some authorization servers. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const listed = [scope, scp].flatMap((one) =>
    typeof one === "string" ? one.split(" ") : Array.isArray(one) ? one : [],
  );
  return new Set(listed.filter((one) => typeof one === "string"));
}

/** Describes why a token is refused, without anything of the token. */
function describeRefused(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JOSEAlgNotAllowed) return "the token is signed with an algorithm that is not accepted";
  if (error instanceof errors.JWKSNoMatchingKey) return "the token is signed with an unknown key";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return "the token is invalid";
  const { claim, reason } = error;
  if (reason === "missing") return `the token has no ${claim}`;
  return claims[claim] ?? "the token is invalid";
}

const claims: Readonly<Record<string, string>> = {
  aud: "the token is for another audience",
  iss: "the token is of another issuer",
  nbf: "the token is not valid yet",
};

function describeFailure(error: unknown): string {
  if (error instanceof IssuerUnavailable) return error.message;
  // Only the name: the message of an unexpected error might hold a part of the token.
  return error instanceof Error ? error.name : "unknown error";
}

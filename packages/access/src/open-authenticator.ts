import type { AccessSettings } from "./access-settings.ts";
import type { PackLog } from "@toolpacks/core";
import type { Authenticator, Caller, Refusal } from "./authenticator.ts";
import { describeScopes, describeTokens } from "./describe-authentication.ts";
import { FileTokens } from "./file-tokens.ts";
import { readBearer } from "./read-bearer.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { isUnencrypted, resourceOf, type Resource } from "./resource.ts";
import { hasTokenPrefix } from "./token.ts";

interface TokenVerifier {
  verify(token: string): Promise<Caller | Refusal>;
}

/**
 * Opens what authenticates the callers of an HTTP host: a token file, an authorization server, or both. Logs the sources and their warnings.
 *
 * @returns undefined when the settings name neither
 * @throws ConfigurationError for settings or a token file that cannot be used
 */
export async function openAuthenticator(
  http: AccessSettings,
  log: PackLog = noLog,
): Promise<Authenticator | undefined> {
  const { tokens, oauth, publicUrl } = http;
  if (tokens === undefined && oauth === undefined) return undefined;
  const resource = oauth && resourceOf(http);
  const scopes = Object.keys(oauth?.scopes ?? {});
  const refusals = createRefusals(resource && { metadataUrl: resource.metadataUrl, scopes });
  // Only an authorization server needs jose.
  const accessTokens =
    oauth &&
    new (await import("./access-tokens.ts")).AccessTokens({ oauth, resourceUrl: resource?.url ?? "", refusals, log });
  const fileTokens = tokens === undefined ? undefined : await FileTokens.open(tokens, { refusals, log });
  if (fileTokens !== undefined) {
    const { summary, warnings } = describeTokens(tokens ?? "", fileTokens.records);
    log.info(`callers are authenticated by ${summary}`);
    for (const warning of warnings) log.warn(warning);
  }
  if (oauth !== undefined) log.info(`callers are authenticated by ${describeScopes(oauth)}`);
  if (isUnencrypted(publicUrl)) log.warn(unencryptedWarning);
  const metadata = resource && oauth && metadataOf(resource, { issuer: oauth.issuer, scopes });
  return {
    authenticate: (headers) => authenticate(headers, { fileTokens, accessTokens, refusals, log }),
    document: (path) => (resource?.metadataPaths.has(path) === true ? metadata : undefined),
    watch: (listener) => fileTokens?.watch(listener) ?? (() => {}),
    close: async () => fileTokens?.close(),
  };
}

const noLog: PackLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

export const unencryptedWarning =
  "http.publicUrl: tokens are sent without encryption to an http address; use https, at a proxy in front of this server";

interface Sources {
  readonly fileTokens: TokenVerifier | undefined;
  readonly accessTokens: TokenVerifier | undefined;
  readonly refusals: Refusals;
  readonly log: PackLog;
}

async function authenticate(
  headers: NodeJS.Dict<string | string[]>,
  { fileTokens, accessTokens, refusals, log }: Sources,
): Promise<Caller | Refusal> {
  const bearer = readBearer(headers);
  if ("problem" in bearer) return refusals[bearer.problem];
  const source = hasTokenPrefix(bearer.token) ? fileTokens : accessTokens;
  if (source === undefined) return refusals.invalid("the token has a form that this server does not accept");
  try {
    return await source.verify(bearer.token);
  } catch (error) {
    // Only the name: the message might hold a part of the token.
    log.error(`a token cannot be checked: ${error instanceof Error ? error.name : "unknown error"}`);
    return refusals.unavailable(1);
  }
}

/** The protected-resource metadata of RFC 9728. */
function metadataOf(
  { url }: Resource,
  { issuer, scopes }: { readonly issuer: string; readonly scopes: readonly string[] },
): object {
  return {
    resource: url,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: "toolpacks",
  };
}

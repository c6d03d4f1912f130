import { errorText } from "@toolpacks/core";
import type { AccessSettings } from "./access-settings.ts";
import { describeScopes, describeTokens } from "./describe-authentication.ts";
import { describeProblem } from "./file-tokens.ts";
import { unencryptedWarning } from "./open-authenticator.ts";
import { isUnencrypted, resourceOf } from "./resource.ts";
import { readTokenFile } from "./token-file.ts";

export interface AuthenticationReport {
  /** The sources of authentication, one line each. */
  readonly callers: readonly string[];
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** Time allowed for each request to the authorization server, in ms. */
const timeoutMs = 3_000;

/** Inspects how `serve --http` would authenticate its callers: reads the token file, and fetches the keys of the authorization server. */
export async function inspectAuthentication(http: AccessSettings): Promise<AuthenticationReport> {
  const { tokens, oauth, publicUrl } = http;
  const callers: string[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  if (tokens !== undefined) {
    try {
      const file = await readTokenFile(tokens);
      const { summary, warnings } = describeTokens(tokens, file.tokens);
      callers.push(summary);
      notes.push(...file.warnings, ...warnings);
    } catch (error) {
      problems.push(`http.tokens: ${describeProblem(tokens, error)}`);
    }
  }
  if (oauth !== undefined) {
    callers.push(describeScopes(oauth));
    const { checkIssuer } = await import("./access-tokens.ts");
    await Promise.resolve()
      .then(() => resourceOf(http))
      .then(() => checkIssuer(oauth.issuer, { timeoutMs }))
      .catch((error: unknown) => problems.push(`http.oauth: ${errorText(error)}`));
  }
  if (isUnencrypted(publicUrl)) notes.push(unencryptedWarning);
  return { callers, notes, problems };
}

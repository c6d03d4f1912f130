import { visibleJson } from "@toolpacks/core";
import type { OAuthSettings } from "./access-settings.ts";
import { isExpired, type TokenRecord } from "./token-file.ts";

/** Describes the tokens of a token file in one line, such as `3 tokens of /etc/tokens.json`, with what may be unintended. */
export function describeTokens(file: string, tokens: readonly TokenRecord[]) {
  const expired = tokens.filter((token) => isExpired(token, Date.now())).map(({ name }) => visibleJson(name));
  const isUseless = tokens.length === expired.length;
  return {
    summary: `${tokens.length} ${tokens.length === 1 ? "token" : "tokens"} of ${file}`,
    warnings: [
      ...(expired.length === 0 ? [] : [`${file}: expired tokens: ${shorten(expired)}`]),
      ...(isUseless ? [`${file}: no valid token; create one: toolpacks tokens add <name> --file ${file}`] : []),
    ],
  };
}

/** Describes the scopes that an authorization server grants, in one line. */
export function describeScopes({ issuer, scopes }: OAuthSettings): string {
  return `access tokens of ${issuer} with one of the scopes ${shorten(Object.keys(scopes))}`;
}

const maxShown = 10;

function shorten(names: readonly string[]): string {
  const more = names.length > maxShown ? ` and ${names.length - maxShown} more` : "";
  return `${names.slice(0, maxShown).join(", ")}${more}`;
}

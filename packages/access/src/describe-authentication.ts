import { visibleJson } from "@toolpacks/core";
import type { AccessSettings } from "./access-settings.ts";
import { isExpired, type TokenRecord } from "./token-file.ts";

/** A source of authentication in one line, with what may be unintended. */
export interface SourceDescription {
  /** For example: `3 tokens of /etc/tokens.json`. */
  readonly summary: string;
  readonly warnings: readonly string[];
}

/** Describes the tokens of a token file. */
export function describeTokens(file: string, tokens: readonly TokenRecord[]): SourceDescription {
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

/** Describes the scopes that an authorization server grants. */
export function describeScopes({ issuer, scopes }: NonNullable<AccessSettings["oauth"]>): SourceDescription {
  return {
    summary: `access tokens of ${issuer} with one of the scopes ${shorten(Object.keys(scopes))}`,
    warnings: [],
  };
}

const maxShown = 10;

function shorten(names: readonly string[]): string {
  const more = names.length > maxShown ? ` and ${names.length - maxShown} more` : "";
  return `${names.slice(0, maxShown).join(", ")}${more}`;
}

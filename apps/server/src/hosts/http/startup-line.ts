import { publicEndpoint } from "../../access/resource.ts";
import { shellQuote } from "../../shell-quote.ts";
import type { HttpHostOptions } from "./http-host-options.ts";

/** Says where the server listens, how callers are authenticated, and how a client is added. */
export function startupLine(
  url: string,
  { settings, authenticator }: Pick<HttpHostOptions, "settings" | "authenticator">,
): string {
  const { tokens, oauth, publicUrl, path } = settings;
  const ways = [tokens && `tokens of ${tokens}`, oauth && `access tokens of ${oauth.issuer}`].filter(Boolean);
  const callers = authenticator === undefined ? "every program on this machine, without a token" : ways.join(", ");
  const address = publicUrl === undefined ? url : publicEndpoint(publicUrl, path);
  const header = authenticator === undefined || oauth !== undefined ? "" : ' --header "Authorization: Bearer $TOKEN"';
  const command = `claude mcp add --transport http toolpacks ${shellQuote(address)}${header}`;
  return `serving ${url}; callers: ${callers || "authenticated"}; add it to a client: ${command}`;
}

import { publicEndpoint } from "@toolpacks/access";
import type { ResolvedHttp } from "@toolpacks/host";
import { shellQuote } from "@toolpacks/terminal";

/** Says where the server listens, how callers are authenticated, and how a client is added. A space follows its address, because terminals make `;` a part of a link. */
export function startupLine(
  url: string,
  { settings, isAuthenticated }: { readonly settings: ResolvedHttp; readonly isAuthenticated: boolean },
): string {
  const { tokens, oauth, publicUrl, path } = settings;
  const ways = [tokens && `tokens of ${tokens}`, oauth && `access tokens of ${oauth.issuer}`].filter(Boolean);
  const callers = isAuthenticated ? ways.join(", ") : "every program on this machine, without a token";
  const address = publicUrl === undefined ? url : publicEndpoint(publicUrl, path);
  const header = !isAuthenticated || oauth !== undefined ? "" : ' --header "Authorization: Bearer $TOKEN"';
  const command = `claude mcp add --transport http toolpacks ${shellQuote(address)}${header}`;
  return `serving ${url} (callers: ${callers}); add it to a client: ${command}`;
}

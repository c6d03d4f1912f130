import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { signInHint } from "./failure.ts";
import { oauthProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";

/** Who answers when a server asks who calls: a token that is given, or tokens of a sign-in. Undefined where a header says it already. */
export function authProvider(plan: RemotePlan, dataDirectory: string): AuthProvider | OAuthClientProvider | undefined {
  const { auth, headers, name } = plan;
  if (typeof auth === "object" && "token" in auth) return { token: async () => auth.token };
  const isSaid = Object.keys(headers).some((header) => header.toLowerCase() === "authorization");
  if (isSaid && auth === undefined) return undefined;
  return oauthProvider(plan, dataDirectory, () => {
    // Nobody sits before a server; a browser is opened by the command alone.
    throw new ToolError("unavailable", `${name} asks for a sign-in`, signInHint(name));
  });
}

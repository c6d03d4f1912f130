import { auth, extractWWWAuthenticateParams, type AuthProvider, type FetchLike } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { asksForSignIn, describe, signInHint } from "./failure.ts";
import { oauthProvider, type SignInProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";

/** What a transport to a server takes so that it says who calls. */
export interface Authorization {
  readonly authProvider: AuthProvider;
  /** In place of the one that was given. */
  readonly fetch: FetchLike;
}

/** A token that is given, in the block or in a header, or those of a sign-in, which are renewed when they are refused. */
export function authorization(plan: RemotePlan, dataDirectory: string, fetch: FetchLike): Authorization {
  if (signsIn(plan)) return bySignIn(plan, dataDirectory, fetch);
  const { auth: given, name } = plan;
  const token = typeof given === "object" && "token" in given ? given.token : undefined;
  const onUnauthorized = async () => {
    const hint = "The user can set another token in auth or headers of its block.";
    throw new ToolError("unavailable", `${name} refused the token that it was given`, hint);
  };
  // A header has its own way to the server.
  return { authProvider: { token: async () => token, onUnauthorized }, fetch };
}

/** True where a server that asks who calls gets the tokens of a sign-in. */
export function signsIn({ auth: given, headers }: RemotePlan): boolean {
  if (given !== undefined) return given === "oauth" || "oauth" in given;
  return Object.keys(headers).every((header) => header.toLowerCase() !== "authorization");
}

function bySignIn(plan: RemotePlan, dataDirectory: string, fetch: FetchLike): Authorization {
  // Nobody sits before a server; a browser is opened by the command alone.
  const provider = oauthProvider(plan, dataDirectory, () => {
    throw asksForSignIn(plan);
  });
  /** What a refused request said: by the time of its answer there may be other tokens. */
  const refused = new WeakMap<Response, string | null>();
  let renewing: Promise<void> | undefined;
  return {
    authProvider: {
      token: async () => (await provider.tokens())?.access_token,
      onUnauthorized: (context) =>
        (renewing ??= renew(provider, context, refused.get(context.response))
          .catch((error: unknown) => {
            if (ToolError.is(error)) throw error;
            const why = `${plan.name} asks for a sign-in, which could be neither begun nor renewed: ${describe(error)}`;
            throw new ToolError("unavailable", why, `${signInHint(plan)}, or give it a token in its block's auth`);
          })
          .finally(() => (renewing = undefined))),
    },
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.status === 401) refused.set(response, new Headers(init?.headers).get("authorization"));
      return response;
    },
  };
}

type Refusal = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** For each answer of the authorization server, so that nobody holds the lock for long. */
const answerMs = 20_000;

/** Gets other tokens than those that were refused. A refresh token may be good once, so whoever has renewed them has done it for all. */
function renew(provider: SignInProvider, context: Refusal, refused?: string | null): Promise<void> {
  return provider.alone(async () => {
    const { access_token: current } = (await provider.tokens()) ?? {};
    if (current !== undefined && `Bearer ${current}` !== refused) return;
    const { serverUrl, fetchFn, response } = context;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    await auth(provider, {
      serverUrl,
      fetchFn: (url, init) => fetchFn(url, { ...init, signal: AbortSignal.timeout(answerMs) }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  });
}

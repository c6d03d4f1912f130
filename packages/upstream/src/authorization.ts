import { auth, extractWWWAuthenticateParams, type AuthProvider, type FetchLike } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { asksForSignIn, describe, signInHint } from "./failure.ts";
import { oauthProvider, type SignInProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import { signInFetch } from "./sign-in-fetch.ts";

/** What a transport needs to authenticate. */
export interface Authorization {
  readonly authProvider: AuthProvider;
  /** Use it in place of the given fetch. */
  readonly fetch: FetchLike;
}

/** Authentication with a configured token, or with the tokens of a sign-in, which are refreshed when refused. */
export function authorization(plan: RemotePlan, state: RemoteState, fetch: FetchLike): Authorization {
  if (usesSignIn(plan)) return bySignIn(plan, state, fetch);
  const { auth, name } = plan;
  const token = typeof auth === "object" && "token" in auth ? auth.token : undefined;
  const onUnauthorized = async () => {
    const hint = "The user can set another token in auth or headers of its block.";
    throw new ToolError("unavailable", `${name} refused the configured token`, hint);
  };
  // A token in a header is sent by the transport.
  return { authProvider: { token: async () => token, onUnauthorized }, fetch };
}

/** Whether the server's tokens come from a sign-in. */
export function usesSignIn({ auth, headers }: RemotePlan): boolean {
  if (auth !== undefined) return auth === "oauth" || "oauth" in auth;
  return Object.keys(headers).every((header) => header.toLowerCase() !== "authorization");
}

/** Whether tokens of a sign-in are stored. Undefined when the server's tokens do not come from a sign-in. */
export async function hasSignIn(plan: RemotePlan, state: RemoteState): Promise<boolean | undefined> {
  if (!usesSignIn(plan)) return undefined;
  return (await oauthProvider(plan, state, () => {}).tokens()) !== undefined;
}

function bySignIn(plan: RemotePlan, state: RemoteState, fetch: FetchLike): Authorization {
  // A server has no user in front of it. Only the command opens a browser.
  const provider = oauthProvider(plan, state, () => {
    throw asksForSignIn(plan);
  });
  /** The refused token of each response. The stored tokens may be newer by then. */
  const refused = new WeakMap<Response, string | null>();
  let renewing: Promise<void> | undefined;
  return {
    authProvider: {
      token: async () => (await provider.tokens())?.access_token,
      onUnauthorized: (context) =>
        (renewing ??= renew({ plan, provider, context, fetch: signInFetch(plan, fetch) }, refused.get(context.response))
          .catch((error: unknown) => {
            if (ToolError.is(error)) throw error;
            const why = `${plan.name} requires a sign-in, which could not be started or renewed: ${describe(error)}`;
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

/** Timeout of each response of the authorization server, so that the lock is not held for long. */
const answerMs = 20_000;

interface Renewal {
  readonly plan: RemotePlan;
  readonly provider: SignInProvider;
  readonly context: Refusal;
  /** The fetch of the context would send the headers of the server's block to any origin. */
  readonly fetch: FetchLike;
}

/** Refreshes refused tokens. Another process may have done so already: a refresh token may work only once. */
function renew({ plan, provider, context, fetch }: Renewal, refused?: string | null): Promise<void> {
  return provider.withLock(async () => {
    const { access_token: current } = (await provider.tokens()) ?? {};
    if (current !== undefined && `Bearer ${current}` !== refused) return;
    // Without this, each caller that has not signed in would register a client at the authorization server.
    if (current === undefined && plan.identity === "caller") throw asksForSignIn(plan);
    const { serverUrl, response } = context;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    await auth(provider, {
      serverUrl,
      fetchFn: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(answerMs) }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  });
}

import { createHash, randomBytes } from "node:crypto";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { jsonValue } from "@toolpacks/core";
import { targetHash } from "./offer-cache.ts";
import type { RemotePlan } from "./options.ts";
import { UnreadableState, type RemoteState, type StateKey } from "./remote-state.ts";

/** The result of a sign-in. */
interface Credentials {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
}

export interface SignInProvider extends OAuthClientProvider {
  readonly redirectUrl: string;
  /** The `state` that the browser must bring back. */
  readonly expectedState: string;
  /** Runs work while no other process uses the tokens. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
  /** Removes a stored sign-in that cannot be decrypted, which a new sign-in replaces. */
  discardUnreadable(): Promise<void>;
}

/** OAuth with PKCE for one server and caller. Tokens are read from the storage at each use, so that every process has the latest. */
export function oauthProvider(
  plan: RemotePlan,
  state: RemoteState,
  redirectToAuthorization: (url: URL) => void | Promise<void>,
): SignInProvider {
  const settings = typeof plan.auth === "object" && "oauth" in plan.auth ? plan.auth.oauth : {};
  const key: StateKey = { kind: "sign-in", server: `${plan.name}-${targetHash(plan)}`, caller: plan.caller };
  const expectedState = randomBytes(24).toString("base64url");
  const redirectUrl = `http://127.0.0.1:${settings.callbackPort ?? portOf(plan)}/callback`;
  let verifier = "";
  /** The refresh token in use. */
  let tried: string | undefined;
  const read = async () => parseCredentials(await state.read(key));
  const change = async (next: (before: Credentials) => Credentials) =>
    void (await state.update(key, (before) => JSON.stringify(next(parseCredentials(before)))));

  return {
    redirectUrl,
    expectedState,
    withLock: (work) => state.withLock(key, work),
    async discardUnreadable() {
      try {
        await state.read(key);
      } catch (error) {
        if (!(error instanceof UnreadableState)) throw error;
        await state.remove(key);
      }
    },
    clientMetadata: {
      client_name: "toolpacks",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: settings.clientSecret === undefined ? "none" : "client_secret_basic",
      ...(settings.scope !== undefined && { scope: settings.scope }),
    },
    state: () => expectedState,
    async clientInformation() {
      const { clientId, clientSecret } = settings;
      if (clientId === undefined) return (await read()).client;
      return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    },
    saveClientInformation: (client) => change((before) => ({ ...before, client })),
    async tokens(issuer) {
      const { tokens } = await read();
      // An ordinary request passes no issuer and uses no refresh token.
      if (issuer !== undefined) tried = tokens?.refresh_token;
      return tokens;
    },
    saveTokens: (tokens) => change((before) => ({ ...before, tokens })),
    redirectToAuthorization,
    saveCodeVerifier: (fresh) => void (verifier = fresh),
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => change((before) => ({ ...before, discovery })),
    discoveryState: async () => (await read()).discovery,
    invalidateCredentials: (scope) =>
      change(({ client, tokens, discovery }) => ({
        ...(client && scope !== "all" && scope !== "client" && { client }),
        // Newer tokens were not the refused ones, so they stay.
        ...(tokens && ((scope !== "all" && scope !== "tokens") || tokens.refresh_token !== tried) && { tokens }),
        ...(discovery && scope !== "all" && scope !== "discovery" && { discovery }),
      })),
  };
}

/** A damaged text counts as no sign-in. */
function parseCredentials(text: string | undefined): Credentials {
  return jsonValue(text ?? "{}") ?? {};
}

/** Below the ports that systems give to outgoing connections, which could hold a port when the browser comes back. */
const firstPort = 16_384;
const ports = 16_000;

/** A fixed port per server: the redirect address is part of the client registration. */
function portOf(plan: RemotePlan): number {
  const hash = createHash("sha256").update(`${plan.name} ${plan.url}`).digest();
  return firstPort + (hash.readUInt32BE(0) % ports);
}

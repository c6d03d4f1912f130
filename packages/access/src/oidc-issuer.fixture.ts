import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";
import { Provider, type Configuration } from "oidc-provider";
import { onTestFinished } from "vitest";

/** A real authorization server on loopback. Its users agree to everything. */
export interface Issuer {
  readonly url: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** An access token for a resource, which a client gets with its secret. Default client: `robot`. */
  clientToken(resource: string, scope: string, client?: string): Promise<string>;
  /** Signs claims with the key of the server, over the claims of a valid token for the resource. */
  sign(
    resource: string,
    claims: Readonly<Record<string, unknown>>,
    header?: { readonly typ?: string; readonly kid?: string },
  ): Promise<string>;
}

interface IssuerOptions {
  /** Clients that get tokens with the secret `<name>-secret`. Default: `robot`. */
  readonly clients?: readonly string[];
  /** Scopes of every resource. */
  readonly scope?: string;
  /** Gets what stops the issuer. Default: it stops when the test ends. */
  readonly onEnd?: OnEnd;
}

type OnEnd = (stop: () => void) => void;

const keyId = "key-1";

export async function startIssuer({
  clients = ["robot"],
  scope: scopes = "tools:read tools:write other",
  onEnd,
}: IssuerOptions = {}): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  let handle = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  const url = await listen((request, response) => handle(request, response), onEnd);
  const key = { ...(await exportJWK(privateKey)), kid: keyId, alg: "RS256", use: "sig" };
  const provider = new Provider(url, configuration(key, clients, scopes));
  const answer = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith("/interaction/")) void agree(provider, { request, response });
    else void answer(request, response);
  };
  return {
    url,
    privateKey,
    publicKey,
    clientToken: async (resource, scope, client = "robot") => {
      const response = await fetch(`${url}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${client}:${client}-secret`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials", resource, scope }),
      });
      const { access_token: token, error } = (await response.json()) as { access_token?: string; error?: string };
      if (token === undefined) throw new Error(error);
      return token;
    },
    sign: (resource, claims, { typ = "at+jwt", kid = keyId } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const valid = {
        iss: url,
        aud: resource,
        sub: "ada",
        client_id: "c",
        scope: "tools:read",
        iat: now,
        exp: now + 60,
      };
      const present = Object.entries({ ...valid, ...claims }).filter(([, value]) => value !== undefined);
      return new SignJWT(Object.fromEntries(present)).setProtectedHeader({ alg: "RS256", typ, kid }).sign(privateKey);
    },
  };
}

/** Serves HTTP on a free port of loopback. Default end: that of the test. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  onEnd: OnEnd = onTestFinished,
): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function configuration(key: object, clients: readonly string[], scope: string): Configuration {
  return {
    clients: [
      ...clients.map((name) => ({
        client_id: name,
        client_secret: `${name}-secret`,
        grant_types: ["client_credentials"],
        response_types: [],
        redirect_uris: [],
      })),
      {
        client_id: "desktop",
        token_endpoint_auth_method: "none",
        application_type: "native",
        grant_types: ["authorization_code"],
        response_types: ["code"],
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["a key for the test"] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({
          scope,
          audience,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Signs the user `ada` in, and grants what the client asks for. */
async function agree(provider: Provider, { request, response }: Exchange): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params["client_id"]) });
  grant.addResourceScope(String(params["resource"]), String(params["scope"]));
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** Opens an address as a browser does, up to the redirect to the client. Returns the address of that redirect. */
export async function browse(start: URL, redirect: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let address = start, hops = 0; hops < 20; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    address = new URL(location, address);
    if (address.href.startsWith(redirect)) return address;
  }
  throw new Error("too many redirects");
}

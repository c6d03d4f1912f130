import { createHmac } from "node:crypto";
import { mkdtempSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, type AuthInfo } from "@modelcontextprotocol/server";
import { exportSPKI, UnsecuredJWT, type JWTPayload } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AccessSettings } from "./access-settings.ts";
import type { Authenticator } from "./authenticator.ts";
import { httpSettings, keptLog } from "./http-settings.fixture.ts";
import { browse, listen, startIssuer, type Issuer } from "./oidc-issuer.fixture.ts";
import { openAuthenticator } from "./open-authenticator.ts";
import { changeTokens } from "./token-file.ts";
import { createToken } from "./token.ts";

const scopes = { "tools:read": { readOnly: true }, "tools:write": {} };

/** An MCP server whose only tool answers what a pack sees of its caller. */
function createServer(): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  server.registerTool("whoami", {}, (context) => {
    return { content: [{ type: "text", text: JSON.stringify(context.http?.authInfo ?? null) }] };
  });
  return server;
}

interface Site {
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly log: ReturnType<typeof keptLog>;
  /** Sends `tools/list` with these headers. */
  post(headers: Record<string, string>, query?: string): Promise<Response>;
}

/** An HTTP server that asks the authenticator, as the host does. */
async function serve(issuer: string, settings: Partial<AccessSettings> = {}): Promise<Site> {
  const log = keptLog();
  const handler = createMcpHandler(createServer);
  const answer = toNodeHandler(handler);
  let authenticator: Authenticator | undefined;
  const origin = await listen((request, response) => {
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const found = authenticator?.document?.(pathname);
    if (found !== undefined) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
      return;
    }
    const result = await authenticator?.authenticate(request.headersDistinct);
    if (result !== undefined && "principal" in result) {
      await answer(Object.assign(request, result.auth && { auth: result.auth }) as NodeIncomingMessageLike, response);
      return;
    }
    const headers = result?.challenge === undefined ? {} : { "www-authenticate": result.challenge };
    response.writeHead(result?.status ?? 500, headers).end(JSON.stringify({ error: result?.message }));
  }
  const http = httpSettings({ publicUrl: origin, oauth: { issuer, scopes }, ...settings });
  authenticator = await openAuthenticator(http, log);
  onTestFinished(async () => {
    await authenticator?.close();
    await handler.close();
  });
  const url = `${origin}/mcp`;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const post = (headers: Record<string, string>, query = "") =>
    fetch(`${url}${query}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
      body,
    });
  return { url, log, post };
}

async function whoami(client: Client): Promise<AuthInfo> {
  const { content } = await client.callTool({ name: "whoami" });
  const [block] = content;
  return JSON.parse(block?.type === "text" ? block.text : "") as AuthInfo;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("the SDK's client", () => {
  test("gets from the first 401 to a call, with credentials of its own", async () => {
    const issuer = await startIssuer();
    const site = await serve(issuer.url);
    const client = new Client({ name: "test", version: "1.0.0" });
    const authProvider = new ClientCredentialsProvider({
      clientId: "robot",
      clientSecret: "robot-secret",
      scope: "tools:read",
      expectedIssuer: issuer.url,
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(site.url), { authProvider }));
    // The challenge names both scopes, and a pack sees who calls, without the token.
    expect(await whoami(client)).toEqual({
      token: "",
      clientId: "robot",
      scopes: ["tools:read", "tools:write"],
      extra: { iss: issuer.url, sub: "robot" },
    });
    await client.close();
  });

  test("gets from the first 401 to a call, with a user who signs in", async () => {
    const issuer = await startIssuer();
    const site = await serve(issuer.url);
    const user = signIn();
    const url = new URL(site.url);
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: user.provider });
    const first = transport();
    await expect(new Client({ name: "test", version: "1.0.0" }).connect(first)).rejects.toThrow(UnauthorizedError);
    expect(user.address()?.searchParams.get("resource")).toBe(site.url);
    await first.finishAuth((await browse(user.address() as URL, user.redirect)).searchParams);
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport());
    expect(await whoami(client)).toMatchObject({
      token: "",
      clientId: "desktop",
      extra: { iss: issuer.url, sub: "ada" },
    });
    await client.close();
  });
});

/** The client of a user in a browser. */
function signIn() {
  const redirect = "http://127.0.0.1/callback";
  const kept: { tokens?: StoredOAuthTokens; verifier?: string; address?: URL } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: "desktop", redirect_uris: [redirect], token_endpoint_auth_method: "none" },
    clientInformation: () => ({ client_id: "desktop" }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => void (kept.address = address),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
  };
  return { redirect, provider, address: () => kept.address };
}

test("the metadata names the authorization server and the scopes, at the root and at the path", async () => {
  const issuer = "https://issuer.example";
  const site = await serve(issuer);
  const { origin } = new URL(site.url);
  const expected = {
    resource: site.url,
    authorization_servers: [issuer],
    scopes_supported: ["tools:read", "tools:write"],
    bearer_methods_supported: ["header"],
    resource_name: "toolpacks",
  };
  for (const suffix of ["", "/mcp"]) {
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource${suffix}`);
    expect(await response.json()).toEqual(expected);
  }
  expect((await fetch(`${origin}/.well-known/oauth-protected-resource/other`)).status).toBe(401);
});

test("a request without a token gets the address of the metadata, and a token in the query is ignored", async () => {
  const issuer = await startIssuer();
  const site = await serve(issuer.url);
  const token = await issuer.clientToken(site.url, "tools:read");
  const challenge = `Bearer resource_metadata="${new URL(site.url).origin}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:write"`;
  for (const query of ["", `?access_token=${token}`]) {
    const response = await site.post({}, query);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
  }
  const twice = await site.post({ authorization: `Bearer ${token}, Bearer ${token}` });
  expect(twice.status).toBe(400);
  expect((await site.post(bearer(token))).status).toBe(200);
});

type Claims = { readonly [Name in keyof JWTPayload]: JWTPayload[Name] | undefined };

/** The server's own tokens with one thing wrong. */
const forged: readonly (readonly [what: string, claims: Claims, status: number, description: string])[] = [
  ["nothing wrong", {}, 200, ""],
  ["a slash at the end of the audience", { aud: "SLASH" }, 200, ""],
  ["several audiences", { aud: ["https://other.example", "SELF"] }, 200, ""],
  ["scopes in scp", { scope: undefined, scp: ["tools:read"] }, 200, ""],
  ["expired within the tolerance", { exp: 10 }, 200, ""],
  ["another audience", { aud: "https://other.example/mcp" }, 401, "the token is for another audience"],
  ["the origin as audience", { aud: "ORIGIN" }, 401, "the token is for another audience"],
  ["no audience", { aud: undefined }, 401, "the token has no aud"],
  ["another issuer", { iss: "https://other.example" }, 401, "the token is of another issuer"],
  ["the issuer with a slash", { iss: "ISSUER/" }, 401, "the token is of another issuer"],
  ["no issuer", { iss: undefined }, 401, "the token has no iss"],
  ["an expired token", { exp: 60 }, 401, "the token has expired"],
  ["no expiry", { exp: undefined }, 401, "the token has no exp"],
  ["a start in the future", { nbf: -60 }, 401, "the token is not valid yet"],
  ["no subject", { sub: undefined }, 401, "the token has no sub"],
  ["an empty subject", { sub: "" }, 401, "the token has no sub"],
  ["a bound key", { cnf: { jkt: "x" } }, 401, "the token is bound to a key, which this server cannot check"],
  ["an unknown scope", { scope: "other" }, 403, "the token has no scope of this server"],
  ["no scope", { scope: undefined }, 403, "the token has no scope of this server"],
  [
    "a scope that objects have",
    { scope: "toString __proto__ constructor" },
    403,
    "the token has no scope of this server",
  ],
];

/** Seconds ago of `exp` and `nbf` in the table, as times. */
function claimsOf(claims: Claims, { url, issuer }: { url: string; issuer: string }): Claims {
  const now = Math.floor(Date.now() / 1_000);
  const audiences: Record<string, string> = { SELF: url, SLASH: `${url}/`, ORIGIN: new URL(url).origin };
  const name = (one: string) => audiences[one] ?? one;
  const { aud, exp, nbf, iss } = claims;
  return {
    ...claims,
    ...(aud !== undefined && { aud: Array.isArray(aud) ? aud.map(name) : name(aud) }),
    ...(exp !== undefined && { exp: now - exp }),
    ...(nbf !== undefined && { nbf: now - nbf }),
    ...(iss === "ISSUER/" && { iss: `${issuer}/` }),
  };
}

async function issuerAndSite(): Promise<{ issuer: Issuer; site: Site }> {
  const issuer = await startIssuer();
  return { issuer, site: await serve(issuer.url) };
}

test("a token with one wrong claim is refused with its reason", async () => {
  const { issuer, site } = await issuerAndSite();
  for (const [what, claims, status, description] of forged) {
    const token = await issuer.sign(site.url, claimsOf(claims, { url: site.url, issuer: issuer.url }));
    const response = await site.post(bearer(token));
    expect([what, response.status]).toEqual([what, status]);
    if (status === 200) continue;
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect([what, challenge]).toEqual([what, expect.stringContaining(`error_description="${description}"`)]);
    expect(challenge).toContain(status === 401 ? 'error="invalid_token"' : 'error="insufficient_scope"');
  }
});

test("a token that was accepted is refused after its expiry", async () => {
  const { issuer, site } = await issuerAndSite();
  const exp = Math.floor(Date.now() / 1_000) - 28;
  const token = await issuer.sign(site.url, { exp });
  for (let count = 0; count < 2; count += 1) expect((await site.post(bearer(token))).status).toBe(200);
  await delay((exp + 31) * 1_000 - Date.now());
  const response = await site.post(bearer(token));
  expect(response.headers.get("www-authenticate")).toContain('error_description="the token has expired"');
});

test("a token of the server for another resource is refused", async () => {
  const { issuer, site } = await issuerAndSite();
  const response = await site.post(bearer(await issuer.clientToken("https://other.example/mcp", "tools:read")));
  expect(response.status).toBe(401);
});

test("a token without a signature of the server is refused", async () => {
  const { issuer, site } = await issuerAndSite();
  const valid = await issuer.sign(site.url, {});
  const [header = "", payload = "", signature = ""] = valid.split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as JWTPayload;
  const publicKey = await exportSPKI(issuer.publicKey);
  const hmac = (text: string) => `${text}.${createHmac("sha256", publicKey).update(text).digest("base64url")}`;
  const other = await startIssuer();
  const tokens = {
    "alg none": new UnsecuredJWT(claims).encode(),
    "alg none with a signature": `${encode({ alg: "none", kid: "key-1" })}.${payload}.${signature}`,
    "HS256 with the public key": hmac(`${encode({ alg: "HS256", typ: "at+jwt", kid: "key-1" })}.${payload}`),
    "an unknown kid": await issuer.sign(site.url, {}, { kid: "other" }),
    "a key of another issuer": await other.sign(site.url, { iss: issuer.url }),
    "changed claims": `${header}.${encode({ ...claims, sub: "eve" })}.${signature}`,
    "a changed signature": `${header}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    "no signature": `${header}.${payload}.`,
    "two parts": `${header}.${payload}`,
    "a logout token": await issuer.sign(site.url, {}, { typ: "logout+jwt" }),
    "an unknown crit": `${encode({ alg: "RS256", kid: "key-1", crit: ["x"], x: 1 })}.${payload}.${signature}`,
    "no token at all": "x",
  };
  for (const [what, token] of Object.entries(tokens)) {
    const response = await site.post(bearer(token));
    const challenge = response.headers.get("www-authenticate");
    expect([what, response.status, challenge]).toEqual([what, 401, expect.stringContaining('error="invalid_token"')]);
  }
  for (const what of ["alg none", "HS256 with the public key"] as const) {
    const response = await site.post(bearer(tokens[what]));
    expect(response.headers.get("www-authenticate")).toContain("an algorithm that is not accepted");
  }
  expect((await site.post(bearer(valid))).status).toBe(200);
  const plain = await issuer.sign(site.url, {}, { typ: "JWT" });
  expect((await site.post(bearer(plain))).status).toBe(200);
});

test("with a token file too, each kind of token goes to its own check", async () => {
  const issuer = await startIssuer();
  const tokens = path.join(mkdtempSync(path.join(tmpdir(), "toolpacks-tokens-")), "tokens.json");
  const { token, ...secret } = createToken();
  const record = { ...secret, name: "ci", access: {}, createdAt: new Date().toISOString() };
  await changeTokens(tokens, () => [record]);
  const site = await serve(issuer.url, { tokens });
  expect((await site.post(bearer(token))).status).toBe(200);
  expect((await site.post(bearer(await issuer.clientToken(site.url, "tools:read")))).status).toBe(200);
  // An authorization server cannot speak for a token of the file.
  const forged = `tp_${await issuer.sign(site.url, {})}`;
  for (const wrong of [forged, createToken(record.id).token, "x"]) {
    const response = await site.post(bearer(wrong));
    const challenge = response.headers.get("www-authenticate");
    expect([response.status, challenge]).toEqual([401, expect.stringMatching(/resource_metadata=.*invalid_token/)]);
  }
});

test("no line of the log and no answer holds a token or a part of it", async () => {
  const { issuer, site } = await issuerAndSite();
  const canary = "canary-5f2d";
  const answers: string[] = [];
  for (const claims of [{}, { sub: canary, exp: 1 }, { iss: canary }, { aud: canary }, { scope: canary }]) {
    const token = await issuer.sign(site.url, claims);
    for (const sent of [token, token.slice(0, -3), `tp_${canary}`, `${canary}.${canary}.${canary}`]) {
      const response = await site.post(bearer(sent));
      const answer = `${response.headers.get("www-authenticate") ?? ""} ${await response.text()}`;
      answers.push(answer);
      for (const part of sent.split(".")) expect(`${answer}${site.log.lines.join("\n")}`).not.toContain(part);
    }
  }
  expect(answers.join("\n")).not.toContain(canary);
  expect(site.log.lines.join("\n")).not.toContain(canary);
});

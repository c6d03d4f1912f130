import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "@toolpacks/core";
import { AccessTokens } from "./access-tokens.ts";
import { httpSettings, keptLog } from "./http-settings.fixture.ts";
import type { IssuerKeysOptions } from "./issuer-keys.ts";
import { listen } from "./oidc-issuer.fixture.ts";
import { openAuthenticator } from "./open-authenticator.ts";
import { createRefusals } from "./refusals.ts";

const resourceUrl = "https://tools.example/mcp";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (value: unknown): Answer =>
  (_, response) =>
    void response.writeHead(200).end(JSON.stringify(value));
const status =
  (code: number, headers = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end();

/** An authorization server whose answers a test replaces. It keeps the paths of its requests. */
async function startServer(path = "") {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const origin = await listen((request, response) => {
    requests.push(request.url ?? "");
    (answers.get(request.url ?? "") ?? status(404))(request, response);
  });
  const issuer = `${origin}${path}`;
  const keySet = async (key: CryptoKey, kid: string) => ({ keys: [{ ...(await exportJWK(key)), kid, alg: "ES256" }] });
  const metadata = { issuer, jwks_uri: `${origin}/keys` };
  answers.set(`/.well-known/oauth-authorization-server${path}`, json(metadata));
  answers.set("/keys", json(await keySet(publicKey, "1")));
  const sign = (key = privateKey, kid = "1") =>
    new SignJWT({ scope: "use", sub: "ada" })
      .setProtectedHeader({ alg: "ES256", kid })
      .setIssuer(issuer)
      .setAudience(resourceUrl)
      .setExpirationTime("1m")
      .sign(key);
  return { origin, issuer, answers, requests, metadata, keySet, sign };
}

function verifierOf(issuer: string, keys: Omit<IssuerKeysOptions, "issuer"> = {}) {
  const log = keptLog();
  const refusals = createRefusals({ metadataUrl: "https://tools.example/x", scopes: ["use"] });
  const tokens = new AccessTokens({ oauth: { issuer, scopes: { use: {} } }, resourceUrl, refusals, log, keys });
  return { log, verify: (token: string) => tokens.verify(token) };
}

const accepted = { auth: { extra: { sub: "ada" } } };
const unavailable = { status: 503, challenge: undefined, retryAfterSeconds: expect.any(Number) };
const unknown = { status: 401, message: "the token is signed with an unknown key" };

describe("the keys of an authorization server", () => {
  test("are fetched once for all tokens", async () => {
    const server = await startServer();
    const { verify } = verifierOf(server.issuer);
    const token = await server.sign();
    for (const caller of await Promise.all([verify(token), verify(token), verify(token)])) {
      expect(caller).toMatchObject(accepted);
    }
    await verify(token);
    expect(server.requests).toEqual(["/.well-known/oauth-authorization-server", "/keys"]);
  });

  test.each([
    ["/.well-known/oauth-authorization-server/tenant", 1],
    ["/.well-known/openid-configuration/tenant", 2],
    ["/tenant/.well-known/openid-configuration", 3],
  ])("are found by the metadata at %s", async (place, count) => {
    const server = await startServer("/tenant");
    server.answers.delete("/.well-known/oauth-authorization-server/tenant");
    server.answers.set(place, json(server.metadata));
    expect(await verifierOf(server.issuer).verify(await server.sign())).toMatchObject(accepted);
    expect(server.requests).toHaveLength(count + 1);
  });

  test("are fetched again for an unknown key, but not for each one", async () => {
    const server = await startServer();
    const { verify } = verifierOf(server.issuer, { cooldownMs: 300 });
    expect(await verify(await server.sign())).toMatchObject(accepted);
    const next = await generateKeyPair("ES256");
    server.answers.set("/keys", json(await server.keySet(next.publicKey, "2")));
    const token = await server.sign(next.privateKey, "2");
    for (let count = 0; count < 5; count += 1) expect(await verify(token)).toMatchObject(unknown);
    expect(server.requests).toHaveLength(2);
    await delay(350);
    expect(await verify(token)).toMatchObject(accepted);
    expect(await verify(await server.sign())).toMatchObject(unknown);
    expect(server.requests).toHaveLength(3);
  });
});

describe("while the authorization server", () => {
  const other = "https://evil.example";
  test.each<[what: string, change: (server: Awaited<ReturnType<typeof startServer>>) => void, reason: RegExp]>([
    ["has no metadata", ({ answers }) => answers.clear(), /has no metadata/],
    ["fails", ({ answers }) => setMetadata(answers, status(500)), /answered with 500/],
    ["redirects its metadata", ({ answers }) => setMetadata(answers, status(302, { location: "/x" })), /redirects/],
    ["redirects its keys", ({ answers }) => void answers.set("/keys", status(307, { location: "/x" })), /redirects/],
    [
      "has metadata of another issuer",
      (server) => setMetadata(server.answers, json({ ...server.metadata, issuer: other })),
      /names the issuer "https:\/\/evil\.example", expected/,
    ],
    ["has metadata that is no object", ({ answers }) => setMetadata(answers, json([])), /names the issuer nothing/],
    [
      "has metadata that is no JSON",
      ({ answers }) => setMetadata(answers, (_, response) => void response.end("<html>")),
      /cannot be read/,
    ],
    ["names no keys", (server) => setMetadata(server.answers, json({ issuer: server.issuer })), /has no jwks_uri/],
    [
      "names keys without https",
      (server) => setMetadata(server.answers, json({ ...server.metadata, jwks_uri: "http://keys.example/" })),
      /a jwks_uri that is not https/,
    ],
    [
      "names keys in a file",
      (server) => setMetadata(server.answers, json({ ...server.metadata, jwks_uri: "file:///etc/passwd" })),
      /a jwks_uri that is not https/,
    ],
    ["has no keys", ({ answers }) => void answers.delete("/keys"), /has no JWK set/],
    ["has keys of another form", ({ answers }) => void answers.set("/keys", json({ keys: ["x"] })), /has no JWK set/],
    [
      "has too many keys",
      ({ answers }) => void answers.set("/keys", json({ keys: [{ x: "x".repeat(600_000) }] })),
      /larger than 524,288 bytes/,
    ],
    [
      "has deep keys",
      ({ answers }) => void answers.set("/keys", (_, response) => void response.end("[".repeat(100) + "]".repeat(100))),
      /nested more than 32/,
    ],
    ["does not answer", ({ answers }) => void answers.set("/keys", () => {}), /cannot be reached .*(timeout|aborted)/],
    [
      "closes the connection",
      ({ answers }) => void answers.set("/keys", (request) => void request.socket.destroy()),
      /cannot be reached/,
    ],
  ])("%s, tokens are neither accepted nor refused, and one error is logged", async (_, change, reason) => {
    const server = await startServer();
    change(server);
    const { verify, log } = verifierOf(server.issuer, { timeoutMs: 500, retryMs: 60_000 });
    const token = await server.sign();
    expect(await verify(token)).toMatchObject(unavailable);
    const count = server.requests.length;
    for (const result of await Promise.all([verify(token), verify(token)])) expect(result).toMatchObject(unavailable);
    // A caller cannot make the server send a request for each token.
    expect(server.requests).toHaveLength(count);
    expect(log.lines).toEqual([expect.stringMatching(/^error access tokens cannot be checked: /)]);
    expect(log.lines[0]).toMatch(reason);
    expect(log.lines[0]).not.toContain(token.split(".")[1]);
  });

  test("is down, known keys are still accepted, and unknown ones again after it is up", async () => {
    const server = await startServer();
    const { verify, log } = verifierOf(server.issuer, { cooldownMs: 0, retryMs: 200 });
    expect(await verify(await server.sign())).toMatchObject(accepted);
    const next = await generateKeyPair("ES256");
    const token = await server.sign(next.privateKey, "2");
    server.answers.set("/keys", status(503));
    expect(await verify(token)).toMatchObject(unavailable);
    expect(await verify(await server.sign())).toMatchObject(accepted);
    server.answers.set("/keys", json(await server.keySet(next.publicKey, "2")));
    await delay(250);
    expect(await verify(token)).toMatchObject(accepted);
    expect(log.lines.map((line) => line.split(" ")[0])).toEqual(["error", "info"]);
  });

  test("starts late, tokens are accepted after it is up", async () => {
    const server = await startServer();
    const answers = new Map(server.answers);
    server.answers.clear();
    const { verify, log } = verifierOf(server.issuer, { retryMs: 100 });
    const token = await server.sign();
    expect(await verify(token)).toMatchObject(unavailable);
    for (const [path, answer] of answers) server.answers.set(path, answer);
    await delay(150);
    expect(await verify(token)).toMatchObject(accepted);
    expect(log.lines.at(-1)).toMatch(/^info .* access tokens are checked again$/);
  });
});

function setMetadata(answers: Map<string, Answer>, answer: Answer): void {
  answers.set("/.well-known/oauth-authorization-server", answer);
}

describe("settings of an authorization server", () => {
  const scopes = { use: {} };
  test.each([
    [
      { oauth: { issuer: "http://issuer.example", scopes } },
      /http\.oauth\.issuer: expected an https address, .*received http:\/\/issuer\.example/,
    ],
    [{ oauth: { issuer: "https://issuer.example?x=1", scopes } }, /http\.oauth\.issuer: expected an address without/],
    [{ oauth: { issuer: "https://u:p@issuer.example", scopes } }, /http\.oauth\.issuer: expected an address without/],
    [{ publicUrl: "https://a.example#x", oauth: { issuer: "https://b.example", scopes } }, /http\.publicUrl: expected/],
    [{ host: "0.0.0.0", oauth: { issuer: "https://b.example", scopes } }, /http\.publicUrl: required with http\.oauth/],
    [{ port: 0, oauth: { issuer: "https://b.example", scopes } }, /http\.publicUrl: required with http\.oauth/],
  ])("%j are refused", async (settings, expected) => {
    const opened = openAuthenticator(httpSettings(settings), keptLog());
    await expect(opened).rejects.toThrow(ConfigurationError);
    await expect(opened).rejects.toThrow(expected);
  });

  test.each([
    [{ host: "127.0.0.1", port: 80 }, "http://127.0.0.1/mcp", ["", "/mcp"]],
    [{ host: "::1" }, "http://[::1]:3333/mcp", ["", "/mcp"]],
    [{ publicUrl: "https://A.example/" }, "https://a.example/mcp", ["", "/mcp"]],
    [{ publicUrl: "https://a.example/tools/" }, "https://a.example/tools/mcp", ["", "/mcp", "/tools/mcp"]],
    [{ publicUrl: "https://a.example", path: "/" }, "https://a.example", [""]],
  ])("%j make the resource %s", async (settings, resource, paths) => {
    const oauth = { issuer: "https://issuer.example", scopes };
    const authenticator = await openAuthenticator(httpSettings({ ...settings, oauth }), keptLog());
    for (const path of paths) {
      expect(authenticator?.document?.(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({ resource });
    }
    expect(authenticator?.document?.("/mcp")).toBeUndefined();
  });

  test("that may surprise are warnings at the start", async () => {
    const log = keptLog();
    const oauth = {
      issuer: "https://issuer.example",
      scopes: { issues: { facets: ["issues"] }, look: { readOnly: true } },
    };
    await openAuthenticator(httpSettings({ publicUrl: "http://tools.example", oauth }), log);
    expect(log.lines).toEqual([
      "info callers are authenticated by access tokens of https://issuer.example with one of the scopes issues, look",
      expect.stringMatching(/^warn http\.publicUrl: tokens are sent without encryption/),
    ]);
  });
});

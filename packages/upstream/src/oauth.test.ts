import { randomUUID } from "node:crypto";
import { get } from "node:http";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { serveWithOAuth } from "./authorization-server.fixture.ts";
import { createFileState } from "./file-state.ts";
import { modernSite, serve } from "./http.fixture.ts";
import type { UpstreamPack } from "./upstream.ts";
import { oauthProvider, type SignInProvider } from "./oauth-provider.ts";
import { parseUpstreamOptions, type RemotePlan } from "./options.ts";
import { signIn } from "./sign-in.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

const say = (client: Client): Promise<CallToolResult> =>
  client.callTool({ name: "tool_invoke", arguments: { name: "web_say", args: { text: "hi" } } });

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** A user who agrees: a browser that opens the address. */
const agree = async (url: URL) => void (await fetch(url));

test("a sign-in stores tokens in a file of mode 0600, and expired tokens are refreshed", async () => {
  const site = await serveWithOAuth(modernSite());
  const dataDirectory = folder();
  const create = (): UpstreamPack => createUpstream({ name: "web", url: site.url, auth: "oauth", dataDirectory });

  const before = await connectThrough([create()]);
  const advice = /web requires a sign-in.*\n.*toolpacks sign-in web$/m;
  expect(textOf(await say(before.client))).toMatch(advice);
  expect((await create().check()).problem).toMatchObject({ hint: expect.stringContaining("toolpacks sign-in web") });

  const pack = create();
  await pack.signIn(agree);
  const directory = path.join(dataDirectory, "upstream", "sign-ins");
  const [file = ""] = readdirSync(directory);
  expect(statSync(path.join(directory, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(directory, file), "utf8")).toContain("refresh_token");

  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toBe("modern hi");
  site.expire();
  expect(textOf(await say(client))).toBe("modern hi");
  expect(site.grants).toEqual(["authorization_code", "refresh_token"]);

  // Another process, later.
  const later = await connectThrough([create()]);
  expect(textOf(await say(later.client))).toBe("modern hi");
});

describe("tokens with a refresh token for one use", () => {
  /** Clients of packs that are signed in, after one call each. */
  async function signedIn(count: number) {
    const site = await serveWithOAuth(modernSite());
    const dataDirectory = folder();
    const create = () => createUpstream({ name: "web", url: site.url, dataDirectory });
    await create().signIn(agree);
    const connect = async () => {
      const { client } = await connectThrough([create()]);
      expect(textOf(await say(client))).toBe("modern hi");
      return client;
    };
    const clients = await Promise.all(Array.from({ length: count }, connect));
    const sign = path.join(dataDirectory, "upstream", "sign-ins");
    return { site, clients, files: () => readdirSync(sign).map((name) => path.join(sign, name)) };
  }
  const renewed = ["authorization_code", "refresh_token"];

  test("are renewed once for simultaneous calls", async () => {
    const { site, clients, files } = await signedIn(1);
    site.expire();
    const results = await Promise.all(Array.from({ length: 5 }, () => clients.map(say)).flat());
    expect(results.map(textOf)).toEqual(Array.from({ length: 5 }, () => "modern hi"));
    expect(site.grants).toEqual(renewed);
    expect(files()).toHaveLength(1);
  });

  test("are renewed once for all packs that share the file", async () => {
    const { site, clients } = await signedIn(2);
    for (let times = 1; times <= 3; times += 1) {
      site.expire();
      const results = await Promise.all([...clients, ...clients].map(say));
      expect(results.map(textOf)).toEqual(Array.from({ length: 4 }, () => "modern hi"));
      expect(site.grants).toEqual(["authorization_code", ...Array.from({ length: times }, () => "refresh_token")]);
    }
  });

  test("are renewed also if the owner of the lock has died", async () => {
    const { site, clients, files } = await signedIn(1);
    const lock = `${files()[0]}.lock`;
    writeFileSync(lock, randomUUID());
    utimesSync(lock, 0, 0);
    site.expire();
    expect((await Promise.all(clients.map(say))).map(textOf)).toEqual(["modern hi"]);
    expect(files()).toHaveLength(1);
  });

  test("require a new sign-in if the refresh token is invalid", async () => {
    const { site, clients } = await signedIn(1);
    site.expire();
    site.revoke();
    const [client] = clients as [Client];
    expect(textOf(await say(client))).toMatch(/^unavailable: web requires a sign-in\n.*toolpacks sign-in web$/);
  });
});

test("a refused refresh token does not delete the newer tokens of another process", async () => {
  const state = createFileState(folder());
  const plan = parseUpstreamOptions({ name: "web", url: "http://127.0.0.1/mcp" }) as RemotePlan;
  const [slow, quick] = [1, 2].map(() => oauthProvider(plan, state, () => {})) as [SignInProvider, SignInProvider];
  const issued = (token: string) => ({ access_token: token, refresh_token: token, token_type: "Bearer" });
  await slow.saveTokens(issued("old"));
  await slow.tokens({ issuer: "x" });
  await quick.saveTokens(issued("new"));
  await slow.tokens();
  await slow.invalidateCredentials?.("tokens");
  expect(await slow.tokens()).toMatchObject({ refresh_token: "new" });
  await slow.tokens({ issuer: "x" });
  await slow.invalidateCredentials?.("tokens");
  expect(await slow.tokens()).toBeUndefined();
});

test("a configured token that is refused does not start a sign-in", async () => {
  const site = await serveWithOAuth(modernSite());
  for (const configured of [{ auth: { token: "wrong" } }, { headers: { Authorization: "Bearer wrong" } }]) {
    const pack = createUpstream({ name: "web", url: site.url, ...configured });
    const { client } = await connectThrough([pack]);
    expect(textOf(await say(client))).toMatch(/web refused the configured token/);
    await expect(pack.signIn(agree)).rejects.toThrow("its token is configured");
  }
});

test("the error of a server that requires authorization without OAuth advises a token", async () => {
  const { url } = await serve(async (request, response) => {
    response.writeHead(request.url === "/mcp" ? 401 : 404, { "www-authenticate": "Bearer" }).end();
  });
  const pack = createUpstream({ name: "web", url });
  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toMatch(
    /could not be started or renewed: .*404.*\n.*or give it a token in its block's auth$/,
  );
  await expect(pack.signIn(agree)).rejects.toThrow("web: the sign-in failed");
});

test("a sign-in rejects a code with another state", async () => {
  const site = await serveWithOAuth(modernSite());
  const pack = createUpstream({ name: "web", url: site.url });
  const forged: number[] = [];
  await pack.signIn(async (url) => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = "?code=stolen&state=guessed";
    forged.push((await fetch(back)).status);
    await agree(url);
  });
  expect(forged).toEqual([404]);
  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toBe("modern hi");
});

test("a sign-in still waits after a request with an invalid path", async () => {
  const site = await serveWithOAuth(modernSite());
  const pack = createUpstream({ name: "web", url: site.url });
  await pack.signIn(async (url) => {
    const { hostname, port } = new URL(url.searchParams.get("redirect_uri") ?? "");
    const status = await new Promise((resolve, reject) => {
      get({ hostname, port, path: "//" }, (response) => resolve(response.statusCode)).on("error", reject);
    });
    expect(status).toBe(404);
    await agree(url);
  });
  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toBe("modern hi");
});

test("a refused sign-in fails with the server's error", async () => {
  const site = await serveWithOAuth(modernSite());
  const pack = createUpstream({ name: "web", url: site.url });
  const refused = pack.signIn(async (url) => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = `?error=access_denied&state=${url.searchParams.get("state")}`;
    await fetch(back);
  });
  await expect(refused).rejects.toThrow("access_denied");
});

test("a sign-in opens http and https pages only", async () => {
  const site = await serveWithOAuth(modernSite(), "file:///page.html");
  const opened: string[] = [];
  const refused = createUpstream({ name: "web", url: site.url }).signIn((url) => void opened.push(url.href));
  await expect(refused).rejects.toThrow("the sign-in page has the protocol file:; expected http: or https:");
  expect(opened).toEqual([]);
});

test("a sign-in to a server that does not respond prints what it waits for, and ends at the timeout", async () => {
  const { url } = await serve(() => new Promise(() => {}));
  const lines: string[] = [];
  const refused = signIn(parseUpstreamOptions({ name: "web", url }) as RemotePlan, {
    state: createFileState(folder()),
    open: agree,
    notify: (line) => lines.push(line),
    noticeMs: 100,
    responseTimeoutMs: 400,
  });
  const { origin } = new URL(url);
  const message = `web: the sign-in failed: timed out after 0.4 s waiting for a response of ${origin}`;
  await expect(refused).rejects.toMatchObject({ code: "unavailable", message });
  expect(lines).toEqual([`waiting for a response of ${origin}`]);
});

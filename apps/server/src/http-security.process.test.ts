// The guard and the authentication of the built server over HTTP. Elsewhere: slow bodies and clients that do not read (packages/host/src/http/guard.test.ts), refused
// starts on other addresses (serve-http.process.test.ts), the constant-time comparison (packages/access/src/file-tokens.test.ts), and each wrong claim and signature of an
// access token (packages/access/src/oauth.test.ts).
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { UnsecuredJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { createToken } from "@toolpacks/access";
import { run } from "./command.process.fixture.ts";
import { call, exchange, modernRequest, rawConnection, withHeaders } from "@toolpacks/host/fixture";
import { limits, openSite, readAnswer, resource, type Site } from "./http-security.process.fixture.ts";

const sites = [await openSite("a token file"), await openSite("OAuth")];
afterAll(() => Promise.all(sites.map((site) => site.close())));

/** One byte of a header every second, from the start of the tests on. */
const slowSenders = sites.map(({ port }) => startSlowSender(port));

async function startSlowSender(port: number): Promise<{ readonly ms: number; readonly response: string }> {
  const startedAt = performance.now();
  const { socket, text, closed } = await rawConnection(port);
  socket.write("POST /mcp HTTP/1.1\r\nX-Slow: ");
  const timer = setInterval(() => socket.write("x"), 1_000);
  await closed;
  clearInterval(timer);
  return { ms: performance.now() - startedAt, response: text() };
}

const listTools = modernRequest("tools/list", {});
const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });

/** The lines of a request with a body. `headers` replace those of a valid one; undefined removes a header. */
function head({ port, tokens }: Site, headers: Readonly<Record<string, string | undefined>> = {}): readonly string[] {
  const all = Object.entries({
    Host: `127.0.0.1:${port}`,
    Authorization: `Bearer ${tokens.ann}`,
    ...(listTools.headers as Record<string, string>),
    "Content-Length": String((listTools.body as string).length),
    ...headers,
  });
  return ["POST /mcp HTTP/1.1", ...all.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))];
}

const status = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);

/** Credentials that are refused. */
async function refusedCredentials({ way, issuer, tokens }: Site): Promise<Readonly<Record<string, string>>> {
  const claims = { iss: issuer?.url ?? "x", aud: resource, sub: "ann", scope: "ann", exp: Date.now() / 1_000 + 600 };
  const common = {
    "another scheme": `Basic ${tokens.ann}`,
    "no scheme": tokens.ann,
    "an empty token": "Bearer ",
    "a token without its end": `Bearer ${tokens.ann.slice(0, -1)}`,
    "a longer token": `Bearer ${tokens.ann}x`,
    "an unsigned access token": `Bearer ${new UnsecuredJWT(claims).encode()}`,
    "a token of a field that objects have": "Bearer __proto__",
  };
  if (issuer === undefined) {
    const [, id = ""] = tokens.ann.split("_");
    return {
      ...common,
      "another secret of a known id": `Bearer ${createToken(id).token}`,
      "an unknown id": `Bearer ${createToken().token}`,
      "upper case": `Bearer ${tokens.ann.toUpperCase()}`,
    };
  }
  const sign = async (own: object) => `Bearer ${await issuer.sign(resource, { scope: "ann", ...own })}`;
  return {
    ...common,
    "another audience": await sign({ aud: "https://other.example/mcp" }),
    "another issuer": await sign({ iss: "https://issuer.example" }),
    "an expired token": await sign({ exp: 1 }),
    "a token of the token file": `Bearer ${createToken().token}`,
    [`a token for another resource of the issuer with ${way}`]: `Bearer ${await issuer.clientToken("https://other.example/mcp", "ann", "ann")}`,
  };
}

describe.each(sites)("with $way,", (site) => {
  const { url, send, tokens } = site;
  const origin = new URL(url).origin;

  describe("Host and Origin:", () => {
    test("the server listens on the loopback address 127.0.0.1 alone", async () => {
      const other = new Promise<string>((resolve) => {
        connect(site.port, "127.0.0.2")
          .on("connect", () => resolve("connected"))
          .on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
      });
      expect(new URL(url).hostname).toBe("127.0.0.1");
      expect(await other).not.toBe("connected");
    });

    test.each([
      "Host: evil.example",
      "Host: 127.0.0.1.evil.example",
      "Host: localhost@evil.example",
      "Origin: http://evil.example",
      "Origin: http://localhost.evil.example",
      "Origin: null",
    ])("%s is refused, with a token and without", async (line) => {
      const [name = "", value = ""] = line.split(": ");
      for (const Authorization of [`Bearer ${tokens.ann}`, undefined]) {
        const lines = head(site, { [name]: value, Authorization });
        expect(status(await exchange(site.port, lines, listTools.body as string))).toBe(403);
      }
    });

    test("the names of the server are accepted, and no page of another site may read an answer", async () => {
      for (const headers of [
        { Host: "localhost" },
        { Host: "tools.example.com", Origin: "https://tools.example.com" },
      ]) {
        const response = await exchange(site.port, head(site, headers), listTools.body as string);
        expect(status(response)).toBe(200);
        expect(response.toLowerCase()).not.toContain("access-control-");
      }
      const preflight = await send("ann", { method: "OPTIONS", headers: { "access-control-request-method": "POST" } });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    });
  });

  describe("credentials:", () => {
    test("a request without a token gets 401 with a challenge, also with a token in the wrong place", async () => {
      const { ann } = tokens;
      const metadata = `resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"`;
      const places: readonly (readonly [string, Record<string, string>])[] = [
        [url, {}],
        [`${url}?access_token=${ann}`, {}],
        [url, { cookie: `token=${ann}` }],
        [url, { "proxy-authorization": `Bearer ${ann}` }],
        [url, { "mcp-session-id": ann }],
      ];
      for (const [address, headers] of places) {
        const response = await fetch(address, withHeaders(listTools, headers));
        const challenge = response.headers.get("www-authenticate") ?? "";
        expect([response.status, challenge]).toEqual([401, expect.stringMatching(/^Bearer/)]);
        expect(challenge.includes(metadata)).toBe(site.way === "OAuth");
        expect(challenge).not.toContain("error=");
      }
    });

    test("wrong tokens get 401 and malformed ones 400, with a challenge and without a result", async () => {
      const malformed = new Set(["no scheme", "an empty token"]);
      for (const [what, authorization] of Object.entries(await refusedCredentials(site))) {
        const response = await fetch(url, withHeaders(listTools, { authorization }));
        expect([what, response.status]).toEqual([what, malformed.has(what) ? 400 : 401]);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect(await response.text()).not.toContain("fs_read");
      }
      const twice = head(site).with(2, `Authorization: Bearer ${tokens.ann}\r\nAuthorization: Bearer ${tokens.ben}`);
      expect(status(await exchange(site.port, twice, listTools.body as string))).toBe(400);
    });

    test("a token without a scope of the server gets 403, and what a scope leaves out is unknown", async () => {
      const foreign = await site.issuer?.sign(resource, { scope: "other" });
      if (foreign !== undefined) {
        const response = await fetch(url, withHeaders(listTools, { authorization: `Bearer ${foreign}` }));
        expect(response.status).toBe(403);
        expect(response.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
      }
      const denied = await site.call("clerk", "fs_read", { path: "a" });
      const missing = await site.call("clerk", "fs_raed", { path: "a" });
      expect(denied.text.split("\n")[0]).toBe(missing.text.split("\n")[0]?.replace("fs_raed", "fs_read"));
      expect((await site.call("clerk", "issue_list")).isError).toBe(false);
    });

    test("the protected-resource metadata names the issuer, and is there with OAuth alone", async () => {
      const response = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`);
      const body: unknown = await response.json();
      if (site.issuer === undefined) expect(response.status).toBe(404);
      else expect(body).toMatchObject({ resource, authorization_servers: [site.issuer.url] });
    });

    test("credentials that end are refused within a second or two, and their streams end", async () => {
      const sent = await endingCredentials(site);
      const stream = await fetch(url, withHeaders(listen, { authorization: `Bearer ${sent.token}` }));
      expect(stream.status).toBe(200);
      await sent.end();
      await Promise.race([stream.text(), delay(5_000).then(() => Promise.reject(new Error("the stream stays open")))]);
      const response = await fetch(url, withHeaders(listTools, { authorization: `Bearer ${sent.token}` }));
      expect(response.status).toBe(401);
    });
  });

  describe("limits of requests:", () => {
    test("a body beyond 1 MiB is refused, with its length and in chunks", async () => {
      const declared = await exchange(site.port, head(site, { "Content-Length": "1048577" }));
      expect(status(declared)).toBe(413);
      const { socket, text, closed } = await rawConnection(site.port);
      const chunked = head(site, { "Content-Length": undefined, "Transfer-Encoding": "chunked" });
      socket.write(`${chunked.join("\r\n")}\r\n\r\n`);
      for (let sent = 0; sent <= 16; sent += 1) socket.write(`10000\r\n${" ".repeat(65_536)}\r\n`);
      await closed;
      expect(status(text())).toBe(413);
    });

    test("compressed bodies, other types and two lengths are refused", async () => {
      const body = listTools.body as string;
      expect((await send("ann", withHeaders(listTools, { "content-encoding": "gzip" }))).status).toBe(415);
      expect((await send("ann", withHeaders(listTools, { "content-type": "text/plain" }))).status).toBe(415);
      const smuggled = head(site, { "Transfer-Encoding": "chunked" });
      expect(status(await exchange(site.port, smuggled, `0\r\n\r\n${body}`))).toBe(400);
    });

    test("several messages in one body and deep JSON are refused", async () => {
      const post = async (body: string) => {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        return readAnswer(await send("ann", { method: "POST", headers, body }));
      };
      const batch = await post(JSON.stringify([ping(1), ping(2)]));
      expect(batch).toMatchObject({
        status: 400,
        text: expect.stringContaining("batches are not supported") as string,
      });
      const deep = await post(`${"[".repeat(300)}${"]".repeat(300)}`);
      expect(deep).toMatchObject({ status: 413, text: "body: nested more than 256 levels deep" });
    });

    test("headers that differ from the body get 400, and run nothing", async () => {
      const before = site.readByOtherServer();
      const other = call("other_look", {});
      const wrong: readonly Record<string, string>[] = [
        { "mcp-method": "tools/list" },
        { "mcp-name": "fs_read" },
        { "mcp-protocol-version": "2025-11-25" },
      ];
      for (const headers of wrong) {
        const answer = await readAnswer(await send("ann", withHeaders(other, headers)));
        expect(answer.status).toBe(400);
        expect(answer.whole).toContain("-32020");
      }
      // A client of 2025 need not send the headers, and must not send wrong ones.
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      for (const wrong of [{ "mcp-method": "tools/list" }, { "mcp-name": "fs_read" }]) {
        const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "other_look", arguments: {} } };
        const legacy = { method: "POST", headers: { ...headers, ...wrong }, body: JSON.stringify(message) };
        expect(await readAnswer(await send("ann", legacy))).toMatchObject({ status: 400, isError: true });
      }
      expect(site.readByOtherServer()).toBe(before);
    });

    test("a caller has at most 3 streams, and other callers are not affected", async () => {
      const open = await Promise.all(Array.from({ length: limits.maxStreams }, () => send("ann", listen)));
      expect(open.map((response) => response.status)).toEqual([200, 200, 200]);
      const refused = await send("ann", listen);
      expect(refused.status).toBe(429);
      expect(await refused.text()).toContain("http.maxStreams");
      const other = await send("ben", listen);
      expect(other.status).toBe(200);
      await Promise.all([...open, other].map(async (response) => response.body?.cancel()));
    });

    test("a caller has at most 12 calls at the same time, and those of clients that left are stopped", async () => {
      const leave = new AbortController();
      const wait = () => send("ann", { ...call("rough_wait", {}), signal: leave.signal }).catch(() => undefined);
      const waiting = Array.from({ length: limits.maxCalls }, wait);
      const refused = async () => (await send("ann", listTools)).status;
      await expect.poll(refused).toBe(429);
      const response = await send("ann", listTools);
      expect([response.status, Number(response.headers.get("retry-after"))]).toEqual([429, 1]);
      expect((await send("ben", listTools)).status).toBe(200);
      leave.abort();
      await Promise.all(waiting);
      await expect.poll(refused, { timeout: 5_000 }).toBe(200);
    });

    test("the rate of a caller counts each request, and leaves other callers alone", async () => {
      for (let sent = 0; sent < 5; sent += 1) expect((await send("rated", listTools)).status).toBe(200);
      const limited = await send("rated", listTools);
      expect([limited.status, Number(limited.headers.get("retry-after")) > 30]).toEqual([429, true]);
      expect(await limited.text()).toContain("at most 5 in 60 s");
      expect((await send("ann", listTools)).status).toBe(200);
    });

    test("after many wrong tokens the network gets 429, and correct tokens are accepted", async () => {
      const wrong = () => fetch(url, withHeaders(listTools, { authorization: "Bearer wrong" }));
      const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await wrong()).status));
      expect(statuses).toContain(429);
      expect((await wrong()).headers.get("retry-after")).toMatch(/^\d+$/);
      expect((await send("ann", listTools)).status).toBe(200);
    });
  });

  test("the log is lines of JSON with one line for each call, and stdout is empty", async () => {
    const before = site.output.stderr.length;
    await site.call("ann", "rough_throw", { secret: "canary-argument" });
    await site.call("ann", "store_put", { kind: "note", record: { text: "canary-record" } });
    const hostile = "no\nsuch\u001B[2J";
    const encoded = `=?base64?${Buffer.from(hostile).toString("base64")}?=`;
    await (await send("ann", withHeaders(call(hostile, {}), { "mcp-name": encoded }))).text();
    const calls = () => {
      const lines = site.output.stderr.slice(before).split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === "call");
    };
    const principal = site.way === "OAuth" ? "ann" : `ann-${tokens.ann.split("_")[1]?.slice(0, 8)}`;
    await expect.poll(calls).toMatchObject([
      { principal, tool: "rough_throw", outcome: "internal" },
      { principal, tool: "store_put", outcome: "ok" },
      { principal, tool: "no?such??2J", outcome: "not_found" },
    ]);
    expect(site.output.stderr).not.toContain("canary-");
    expect(site.output.stdout).toBe("");
  });

  test("no token is in the log, in a trace, in a metric, or with another server", async () => {
    const look = await send("ann", withHeaders(call("other_look", { a: 1 }), { cookie: `token=${tokens.ann}` }));
    expect((await readAnswer(look)).text).toBe("looked");
    const traces = async () =>
      (await site.call("ann", "store_query", { kind: "trace", fields: ["*"], limit: 100 })).whole;
    await expect.poll(traces, { timeout: 5_000 }).toContain("other_look");
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toContain("toolpacks");
    expect(site.readByOtherServer()).toContain('"tools/call"');
    for (const [where, text] of Object.entries({
      traces: await traces(),
      metrics,
      log: site.output.stderr,
      other: site.readByOtherServer(),
    })) {
      // A part is enough: the secret of a token, or the signature of an access token.
      for (const token of Object.values(tokens))
        expect([where, text.includes(token.slice(-40))]).toEqual([where, false]);
    }
  });

  test("a client that sends its headers slowly is disconnected", async () => {
    const sender = slowSenders[sites.indexOf(site)];
    expect(await sender).toMatchObject({ response: expect.stringContaining("408 Request Timeout") as string });
    expect((await sender)?.ms).toBeLessThan(20_000);
  });
});

/** Credentials, and what ends them or waits for their end. */
async function endingCredentials(site: Site): Promise<{ readonly token: string; end(): Promise<void> }> {
  const { issuer, tokenFile = "", tokens } = site;
  if (issuer !== undefined) {
    // The server tolerates 30 s of difference between clocks.
    const exp = Math.floor(Date.now() / 1_000) - 28;
    const token = await issuer.sign(resource, { scope: "ben", exp });
    return { token, end: () => delay(Math.max(0, (exp + 30) * 1_000 - Date.now())) };
  }
  return {
    token: tokens.reader,
    end: async () => expect((await run(["tokens", "revoke", "reader", "--file", tokenFile])).code).toBe(0),
  };
}

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Access, type Authenticator, type Caller, type Refusal, unionAccess } from "@toolpacks/access";
import type { ServedSurface, SurfaceFor, SurfaceWatcher } from "../served-surface.ts";
import { SurfaceHolder } from "../surface-holder.ts";
import {
  call,
  closeHosts,
  fakeObservability,
  makeSurface,
  messageHeaders,
  modernRequest,
  rawConnection,
  startHost,
  withHeaders,
} from "./http-host.fixture.ts";

afterEach(closeHosts);

const challenge = 'Bearer error="invalid_token"';

/** Recognizes tokens that are names of a table. */
function fakeAuthenticator(callers: Record<string, { access: Access; expiresAt?: number }>) {
  const listeners = new Set<() => void>();
  const authenticator: Authenticator = {
    async authenticate({ authorization }): Promise<Caller | Refusal> {
      const name = [authorization].flat()[0]?.replace("Bearer ", "") ?? "";
      const { access, expiresAt } = callers[name] ?? {};
      if (name === "weak")
        return { status: 403, challenge: 'Bearer error="insufficient_scope"', message: "missing scope" };
      if (access === undefined) return { status: 401, challenge, message: "unknown token" };
      const auth = { token: "", clientId: name, scopes: [], extra: { sub: name } };
      const id = JSON.stringify(["subject", null, name]);
      return { principal: { id, access: unionAccess([access]) }, auth, expiresAt };
    },
    document: (path) => (path === "/.well-known/oauth-protected-resource" ? { resource: "here" } : undefined),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
  };
  return { authenticator, change: () => listeners.forEach((listener) => listener()) };
}

const as = (name: string, request: RequestInit) => withHeaders(request, { authorization: `Bearer ${name}` });

/** The message of a response, which is JSON or an event stream. */
async function message(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  return JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "")) as Record<string, unknown>;
}

test("missing, invalid and insufficient credentials get 401 and 403 with a challenge, and after many of them 429", async () => {
  const { url } = await startHost({ authenticator: fakeAuthenticator({ ann: { access: {} } }).authenticator });
  const missing = await fetch(url, call("echo", { text: "a" }));
  expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([401, challenge]);
  expect(await missing.json()).toEqual({ error: "unknown token" });
  expect((await fetch(url, as("weak", call("echo", { text: "a" })))).status).toBe(403);
  for (let at = 0; at < 58; at += 1) await (await fetch(url, as("x", call("echo", { text: "a" })))).text();
  const limited = await fetch(url, as("x", call("echo", { text: "a" })));
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await fetch(url, as("ann", call("echo", { text: "a" })))).status).toBe(200);
});

test("a tool sees its caller, and never the token", async () => {
  const { url } = await startHost({ authenticator: fakeAuthenticator({ ann: { access: {} } }).authenticator });
  const answer = await message(await fetch(url, as("ann", call("echo", { text: "a" }))));
  expect(answer).toMatchObject({ result: { structuredContent: { client: "ann", token: "", header: "none" } } });
});

test("public documents and metrics: documents need no token, and metrics only on addresses of other machines", async () => {
  const { authenticator } = fakeAuthenticator({ ann: { access: {} } });
  const observability = fakeObservability();
  const local = await startHost({ authenticator, observability });
  expect(await (await fetch(`${local.origin}/.well-known/oauth-protected-resource`)).json()).toEqual({
    resource: "here",
  });
  expect((await fetch(`${local.origin}/metrics`)).status).toBe(200);
  const everywhere = await startHost({ authenticator, observability, settings: { host: "0.0.0.0" } });
  expect((await fetch(`${everywhere.origin}/metrics`)).status).toBe(401);
  expect((await fetch(`${everywhere.origin}/metrics`, as("ann", {}))).status).toBe(200);
});

test("requests at the same time, rates and streams are limited for each caller", async () => {
  const { authenticator } = fakeAuthenticator({
    ann: { access: {} },
    bob: { access: { rate: { requests: 1, seconds: 60 } } },
  });
  const { url } = await startHost({ authenticator, settings: { maxCalls: 2, maxStreams: 1 } });
  const wait = () => fetch(url, as("ann", call("wait", { name: "limit", ms: 500 })));
  const statuses = (await Promise.all([wait(), wait(), wait()])).map((response) => response.status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
  expect((await fetch(url, as("bob", call("echo", { text: "a" })))).status).toBe(200);
  const limited = await fetch(url, as("bob", call("echo", { text: "a" })));
  expect([limited.status, Number(limited.headers.get("retry-after")) > 50]).toEqual([429, true]);
  expect(await limited.text()).toContain("at most 1 in 60 s for each caller");
  const listen = () =>
    fetch(url, as("ann", modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }, "s")));
  const open = await listen();
  const refused = await listen();
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { id: "s", error: { message: expect.stringContaining("http.maxStreams") as string } },
  ]);
  await open.body?.cancel();
  await expect
    .poll(async () => {
      const again = await listen();
      await again.body?.cancel();
      return again.status;
    })
    .toBe(200);
});

test("the rate of a token never exceeds the rate of the settings", async () => {
  const { authenticator } = fakeAuthenticator({
    ann: { access: { rate: { requests: 100, seconds: 60 } } },
    bob: { access: { rate: { requests: 1, seconds: 60 } } },
  });
  const { url } = await startHost({ authenticator, settings: { rate: { requests: 2, seconds: 60 } } });
  const send = async (name: string) => (await fetch(url, as(name, call("echo", { text: "a" })))).text();
  await send("ann");
  expect(await send("ann")).toContain('"result"');
  expect(await send("ann")).toContain("at most 2 in 60 s for each caller (http.rate)");
  await send("bob");
  expect(await send("bob")).toContain("at most 1 in 60 s for each caller (the rate of the token)");
});

test("a changed list is announced to the streams of its surface alone", async () => {
  const surfaces = await Promise.all(
    ["ann", "bob"].map(async (scope) => new SurfaceHolder(await makeSurface(), { mayChange: true, scope })),
  );
  const [own, other] = surfaces;
  let next = own;
  const surfaceFor = async () => next as ServedSurface;
  const { url } = await startHost({ surfaceFor });
  const listen = async () => {
    const { body } = await fetch(
      url,
      modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }),
    );
    const texts: string[] = [];
    const read = async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) texts.push(text);
    };
    void read().catch(() => {});
    return texts;
  };
  const ofOwn = await listen();
  next = other;
  const ofOther = await listen();
  await surfaces[0]?.replace(await makeSurface(["new"]));
  await expect.poll(() => ofOwn.join("")).toContain("tools/list_changed");
  await delay(200);
  expect(ofOther.join("")).not.toContain("list_changed");
});

test("a client that leaves while its request is admitted gives back its requests and streams", async () => {
  const surface = new SurfaceHolder(await makeSurface(), { mayChange: true });
  let isSlow = true;
  const pause = () => (isSlow ? delay(100) : undefined);
  const rateLimiter = { take: async () => (await pause(), { ok: true } as const) };
  const surfaceFor: SurfaceFor = async () => (await pause(), surface);
  const streams = { opened: 0, closed: 0 };
  const observability = fakeObservability({
    onStream() {
      streams.opened += 1;
      return () => void (streams.closed += 1);
    },
  });
  const settings = { maxCalls: 1, maxStreams: 2, rate: { requests: 1_000, seconds: 1 } };
  const { url, port } = await startHost({ rateLimiter, surfaceFor, observability, settings });
  const ping = { method: "POST", headers: messageHeaders, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
  for (const request of [ping, ping, listen, listen, listen]) {
    const { socket, closed } = await rawConnection(port);
    socket.write(rawRequest(port, request));
    await delay(150);
    socket.destroy();
    await closed;
  }
  await delay(500);
  isSlow = false;
  expect((await fetch(url, ping)).status).toBe(200);
  const open = [await fetch(url, listen), await fetch(url, listen)];
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  for (const { body } of open) await body?.cancel();
  await expect.poll(() => streams.opened - streams.closed).toBe(0);
});

/** The text of a request. */
function rawRequest(port: number, { headers, body }: RequestInit): string {
  const text = typeof body === "string" ? body : "";
  const fields = { ...(headers as Record<string, string>), host: `127.0.0.1:${port}`, "content-length": text.length };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return ["POST /mcp HTTP/1.1", ...lines, "", text].join("\r\n");
}

test("a stream ends when its credentials expire, are revoked or get other access", async () => {
  const callers: Record<string, { access: Access; expiresAt?: number }> = {
    ann: { access: {} },
    bob: { access: {} },
    cat: { access: {} },
    dan: { access: {}, expiresAt: Date.now() + 1_000 },
  };
  const { authenticator, change } = fakeAuthenticator(callers);
  const { url } = await startHost({ authenticator });
  const ended: string[] = [];
  for (const name of Object.keys(callers)) {
    const request = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const response = await fetch(url, as(name, request));
    expect(response.status).toBe(200);
    void response.text().then(
      () => ended.push(name),
      () => ended.push(`${name} failed`),
    );
  }
  delete callers["ann"];
  callers["bob"] = { access: { readOnly: true } };
  change();
  await expect.poll(() => ended.toSorted()).toEqual(["ann", "bob"]);
  await expect.poll(() => ended.toSorted(), { timeout: 5_000 }).toEqual(["ann", "bob", "dan"]);
});

test("a dropped surface is followed no longer, and a stream keeps a surface in use", async () => {
  let watchers = 0;
  class CountedSurface extends SurfaceHolder {
    override watch(watcher: SurfaceWatcher) {
      watchers += 1;
      const stop = super.watch(watcher);
      return () => {
        watchers -= 1;
        stop();
      };
    }
  }
  const surface = await makeSurface();
  const holders = ["first", "second"].map((scope) => new CountedSurface(surface, { mayChange: true, scope }));
  let next = holders[0] as SurfaceHolder;
  const { url } = await startHost({ surfaceFor: async () => next });
  const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await fetch(url, listen);
  next = holders[1] as SurfaceHolder;
  await (await fetch(url, call("echo", { text: "a" }))).text();
  await expect.poll(() => holders.map(({ isUsed }) => isUsed)).toEqual([true, false]);
  expect(watchers).toBe(2);
  holders[1]?.drop();
  expect(watchers).toBe(1);
  const first = await stream.body?.getReader().read();
  expect(first?.done).toBe(false);
});

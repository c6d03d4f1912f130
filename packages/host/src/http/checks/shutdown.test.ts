import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import {
  call,
  closeHosts,
  fakeObservability,
  modernRequest,
  rawConnection,
  seen,
  startHost,
  testLog,
} from "../http-host.fixture.ts";
import { storeReadiness } from "../readiness.ts";

afterEach(closeHosts);

test("a shutdown refuses new requests, finishes calls of both eras, ends streams with a last message, then stops", async () => {
  const { url, origin, close, ended } = await startHost();
  const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }, "s");
  const stream = await fetch(url, listen);
  const running = fetch(url, call("wait", { name: "ending", ms: 500 }));
  await expect.poll(() => seen.started).toContain("ending");
  const closed = close();
  const refused = await fetch(url, call("echo", { text: "a" }));
  expect(refused.status).toBe(503);
  expect([refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual(["1", "close"]);
  const ready = await fetch(`${origin}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: "not ready", reason: "the server is shutting down" },
  ]);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect(await (await running).json()).toMatchObject({ result: { structuredContent: { text: "ending" } } });
  expect(seen.stopped).not.toContain("ending");
  expect(await stream.text()).toContain('"id":"s","result":{"resultType":"complete"');
  await closed;
  await ended;
  await expect(fetch(url)).rejects.toThrow();
});

test("a shutdown answers requests on open connections until a load balancer has noticed it", async () => {
  const { origin, port, close, ended } = await startHost();
  await (await fetch(`${origin}/readyz`)).text();
  const connection = await rawConnection(port);
  const request = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
  const startedAt = performance.now();
  const closed = close();
  await delay(2_000);
  connection.socket.write(request);
  await connection.closed;
  expect(connection.text()).toMatch(/^HTTP\/1.1 503 .*\r\nConnection: close\r\n/s);
  await closed;
  await ended;
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
});

test("readiness names a store that does not answer, without its address, and recovers", async () => {
  let isDown = true;
  const log = testLog();
  const store = {
    generation: async () => {
      if (isDown) throw new Error("connect ECONNREFUSED postgres://user:secret@10.0.0.1/db");
      return 1;
    },
  };
  const { origin } = await startHost({ readiness: storeReadiness(() => store, log) });
  const answer = await fetch(`${origin}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { status: "not ready", reason: "the store cannot be reached" },
  ]);
  isDown = false;
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 5_000 }).toBe(200);
  expect(log.lines.at(-1)).toBe("ready: the store can be reached again");
});

test("a client that disconnects aborts its call", async () => {
  const { url } = await startHost();
  for (const name of ["modern", "legacy"]) {
    const modern = call("wait", { name, ms: 60_000 });
    const { params, ...rest } = JSON.parse(modern.body as string) as { params: { _meta?: object } };
    delete params._meta;
    const legacy = { ...modern, body: JSON.stringify({ ...rest, params }), headers: legacyHeaders };
    const abort = new AbortController();
    const request = fetch(url, { ...(name === "modern" ? modern : legacy), signal: abort.signal }).then((one) =>
      one.text(),
    );
    request.catch(() => {});
    await expect.poll(() => seen.started).toContain(name);
    abort.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => seen.stopped).toContain(name);
  }
});

const legacyHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("pipelined, half-closed and broken connections are answered or dropped, and later requests are served", async () => {
  const { url, port } = await startHost();
  const request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  const pipelined = await rawConnection(port);
  pipelined.socket.write(request.repeat(20));
  await expect.poll(() => pipelined.text().split('{"status":"ok"}').length).toBe(21);
  pipelined.socket.destroy();
  const halfClosed = await rawConnection(port);
  halfClosed.socket.end(
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
  );
  await halfClosed.closed;
  const broken = await rawConnection(port);
  broken.socket.write("\0\0\0\r\n\r\n");
  await broken.closed;
  expect((await fetch(url, call("echo", { text: "a" }))).status).toBe(200);
});

test("connections that are opened and closed leave no open request, and no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  let finished = 0;
  const { url, port } = await startHost({ observability: fakeObservability({ onResponse: () => (finished += 1) }) });
  const begin =
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  for (let round = 0; round < 60; round += 1) {
    const all = await Promise.all(Array.from({ length: 20 }, () => rawConnection(port)));
    for (const [at, { socket }] of all.entries()) {
      if (at % 2 === 0) socket.write(begin);
      if (at % 4 === 0) await delay(0);
      socket.destroy();
    }
  }
  await delay(100);
  const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(url, call("echo", { text: "a" }))));
  expect(answers.map((response) => response.status)).toEqual(Array.from({ length: 8 }, () => 200));
  await Promise.all(answers.map((response) => response.text()));
  expect(finished).toBeGreaterThan(8);
  process.off("unhandledRejection", record);
  expect(unhandled).toEqual([]);
});

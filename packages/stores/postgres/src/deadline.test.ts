import { createServer } from "node:net";
import { note } from "@toolpacks/store-sql/fixture";
import { beforeAll, expect, test } from "vitest";
import { databaseBehindProxy, type ProxiedDatabase } from "./fixture/index.ts";
import { postgres } from "./index.ts";

let server: ProxiedDatabase;
beforeAll(async () => {
  server = await databaseBehindProxy();
  return () => server.remove();
});

const timeoutMs = 1_000;

async function elapsed(call: () => Promise<unknown>): Promise<{ readonly ms: number; readonly error: unknown }> {
  const begun = performance.now();
  const error: unknown = await call().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { ms: performance.now() - begun, error };
}

test("concurrent writes while the server is down fail after one deadline", async () => {
  const store = postgres(server.address, { schema: "down", timeoutMs });
  await store.put(note, { text: "one" }, { id: "a" });
  await server.stop();
  const calls = Array.from({ length: 5 }, (_, at) => elapsed(() => store.put(note, { text: "x" }, { id: `b${at}` })));
  for (const { ms, error } of await Promise.all(calls)) {
    expect(error).toMatchObject({ code: "unavailable", message: "the store: nothing listens at its address" });
    expect(ms).toBeLessThan(2.5 * timeoutMs);
  }
  await server.start();
  await store.put(note, { text: "two" }, { id: "b" });
  expect((await store.query(note)).items.map(({ id }) => id)).toEqual(["a", "b"]);
  await store.end();
});

test("calls to a server that stops answering fail after one deadline, and succeed when it answers again", async () => {
  const store = postgres(server.address, { schema: "silent", timeoutMs });
  await store.put(note, { text: "one" }, { id: "a" });
  server.block(true);
  const calls = [
    () => store.put(note, { text: "x" }),
    () => store.put(note, { text: "x" }),
    () => store.put(note, { text: "x" }),
    () => store.get(note, "a"),
    () => store.query(note),
  ];
  for (const { ms, error } of await Promise.all(calls.map(elapsed))) {
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^the store: (timed out after 1 s waiting for |its host does not answer)/),
    });
    expect(ms).toBeLessThan(2.5 * timeoutMs);
  }
  server.block(false);
  await store.put(note, { text: "two" }, { id: "b" });
  expect((await store.get(note, "b"))?.data.text).toBe("two");
  await store.end();
});

test("writes that wait for another write of this process have no deadline while the server answers", async () => {
  const store = postgres(server.address, { schema: "busy", timeoutMs: 200 });
  await store.put(note, { text: "one" }, { id: "a" });
  const slow = store.transaction(async (inside) => {
    await inside.put(note, { text: "slow" }, { id: "slow" });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await inside.put(note, { text: "slow" }, { id: "slow2" });
  });
  await Promise.all([slow, ...["b", "c", "d"].map((id) => store.put(note, { text: id }, { id }))]);
  expect((await store.query(note)).total).toBe(6);
  await store.end();
});

test("a server that shuts down in the same packet in which it accepts a connection does not crash the process", async () => {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const authenticated = message("R", Buffer.alloc(4));
  const ready = message("Z", Buffer.from("I"));
  const shutdown = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));
  const stopping = createServer((client) => {
    client.on("error", () => {});
    client.once("data", () => client.end(Buffer.concat([authenticated, ready, shutdown])));
  });
  await new Promise<void>((resolve) => void stopping.listen(0, "127.0.0.1", resolve));
  const { port } = stopping.address() as { port: number };
  const store = postgres(`postgres://user@127.0.0.1:${port}/postgres`, { timeoutMs });
  await expect(store.query(note)).rejects.toMatchObject({ code: "unavailable" });
  await store.end();
  stopping.close();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { postgres } from "@toolpacks/store-postgres";
import { databaseBehindProxy, type ProxiedDatabase } from "@toolpacks/store-postgres/fixture";
import type { ServerEvent } from "@modelcontextprotocol/server";
import { afterEach, beforeAll, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { listenOver } from "./ask-over-http.fixture.ts";
import { eventKind } from "./replica-kinds.ts";
import { startReplica } from "./replica.fixture.ts";
import { removeExpired, shareOver } from "./replicas.ts";

let server: ProxiedDatabase;
const folder = mkdtempSync(path.join(tmpdir(), "replicas-"));
beforeAll(async () => {
  server = await databaseBehindProxy();
  return async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  };
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function replicasOf(count: number, store = server.address) {
  const replicas = await Promise.all(
    Array.from({ length: count }, () => startReplica(store, path.join(folder, "log"))),
  );
  closers.push(...replicas.map((one) => one.close));
  type Replica = Awaited<ReturnType<typeof startReplica>>;
  return replicas as unknown as readonly [Replica, Replica, Replica];
}

async function listen(url: string, uris: readonly string[] = []) {
  const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const stream = await listenOver(url, { ...wanted, resourceSubscriptions: uris });
  closers.push(stream.close);
  return stream.received;
}

async function publish(url: string, event: ServerEvent, scope = "everyone"): Promise<void> {
  await fetch(`${url}/publish?${new URLSearchParams({ scope, event: JSON.stringify(event) }).toString()}`);
}

test("a change that one replica publishes reaches the streams of every replica once, in order", async () => {
  const replicas = await replicasOf(3);
  const uris = Array.from({ length: 20 }, (_, at) => `note://${at}`);
  const streams = await Promise.all(replicas.map(({ url }) => listen(url, uris)));
  const [{ url }] = replicas;
  await publish(url, { kind: "tools_list_changed" });
  for (const uri of uris) await publish(url, { kind: "resource_updated", uri });
  await publish(url, { kind: "prompts_list_changed" });
  const expected = ["tools/list_changed", ...uris.map((uri) => `resources/updated ${uri}`), "prompts/list_changed"];
  for (const received of streams) await expect.poll(() => received, { timeout: 10_000 }).toEqual(expected);
});

test("a change reaches only the streams of its own scope", async () => {
  const [first, second] = await replicasOf(2);
  const received = await listen(second.url);
  await publish(first.url, { kind: "prompts_list_changed" }, "mallory");
  await publish(first.url, { kind: "tools_list_changed" });
  await expect.poll(() => received).toEqual(["tools/list_changed"]);
});

test("changes reach the streams of other replicas after the database was stopped and started", async () => {
  const [first, second] = await replicasOf(2);
  const uris = ["note://before", "note://during", "note://after"] as const;
  const received = await listen(second.url, uris);
  await publish(first.url, { kind: "resource_updated", uri: uris[0] });
  await expect.poll(() => received).toHaveLength(1);
  await server.stop();
  await publish(first.url, { kind: "resource_updated", uri: uris[1] });
  await server.start();
  await publish(first.url, { kind: "resource_updated", uri: uris[2] });
  await expect.poll(() => received, { timeout: 20_000 }).toEqual(uris.map((uri) => `resources/updated ${uri}`));
});

test("a replica that starts without the database serves, and reports a change of every list when the database is back", async () => {
  await server.stop();
  const began = performance.now();
  const [only] = await replicasOf(1);
  const received = await listen(only.url);
  expect(performance.now() - began).toBeLessThan(8_000);
  await server.start();
  const lists = ["tools/list_changed", "prompts/list_changed", "resources/list_changed"];
  await expect.poll(() => received, { timeout: 20_000 }).toEqual(lists);
});

test("a change is delivered without a notification of the database", async () => {
  const open = async (hasNotifications: boolean) => {
    const store = postgres(server.address, { schema: "silent" });
    const silent = hasNotifications ? store : { ...store, watch: async () => async () => {} };
    const replicas = await shareOver(silent, createLog("error"));
    closers.push(
      () => store.end(),
      () => replicas.close(),
    );
    return replicas.eventBuses.of("everyone");
  };
  const [publisher, listener] = [await open(true), await open(false)];
  const received: ServerEvent[] = [];
  listener.subscribe((event) => received.push(event));
  publisher.publish({ kind: "tools_list_changed" });
  await expect.poll(() => received, { timeout: 5_000 }).toEqual([{ kind: "tools_list_changed" }]);
});

test("a listener that throws or stops does not keep changes from the others", async () => {
  const [first, second] = await replicasOf(2);
  const bus = second.replicas.eventBuses.of("everyone");
  const received: string[] = [];
  const stop = bus.subscribe(() => received.push("stopped"));
  bus.subscribe(() => {
    throw new Error("a listener fails");
  });
  bus.subscribe(({ kind }) => received.push(kind));
  stop();
  first.replicas.eventBuses.of("everyone").publish({ kind: "tools_list_changed" });
  await expect.poll(() => received).toEqual(["tools_list_changed"]);
});

test("records of events are removed when their time is over", async () => {
  const store = postgres(server.address, { schema: "old_events" });
  const event = { scope: "everyone", process: "p", event: "{}" };
  await store.put(eventKind, { ...event, expiresAt: Date.now() - 1 });
  const { id } = await store.put(eventKind, { ...event, expiresAt: Date.now() + 60_000 });
  await removeExpired(store);
  expect((await store.query(eventKind)).items.map((one) => one.id)).toEqual([id]);
  await store.end();
});

test("on a store of one server changes reach the streams of the server", async () => {
  const [only] = await replicasOf(1, path.join(folder, "store.db"));
  const received = await listen(only.url);
  await publish(only.url, { kind: "tools_list_changed" });
  await expect.poll(() => received).toEqual(["tools/list_changed"]);
});

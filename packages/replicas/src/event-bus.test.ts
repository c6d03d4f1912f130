import type { ServerEvent } from "@modelcontextprotocol/server";
import { postgres } from "@toolpacks/store-postgres";
import { startPostgres, type PostgresServer } from "@toolpacks/store-postgres/fixture";
import { afterEach, beforeAll, expect, test } from "vitest";
import { eventKind } from "./event-bus.ts";
import { openReplicas, removeExpired } from "./replicas.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return () => server.remove();
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function startReplica({ hasNotifications = true } = {}) {
  const store = postgres(server.address, { schema: "replicas" });
  const silent = { ...store, watch: async () => async () => {} };
  const replicas = await openReplicas(hasNotifications ? store : silent, log);
  closers.push(
    () => store.end(),
    () => replicas.close(),
  );
  return replicas;
}

async function replicasOf(count: number) {
  type Replica = Awaited<ReturnType<typeof startReplica>>;
  const replicas = await Promise.all(Array.from({ length: count }, () => startReplica()));
  return replicas as unknown as readonly [Replica, Replica, Replica];
}

/** The events that a stream of this scope gets, by kind and address. */
function listen(replica: Awaited<ReturnType<typeof startReplica>>, scope = "everyone"): readonly string[] {
  const received: string[] = [];
  replica.bus(scope).subscribe((event) => received.push("uri" in event ? event.uri : event.kind));
  return received;
}

const toolsChanged = { kind: "tools_list_changed" } as const;
const updated = (uri: string): ServerEvent => ({ kind: "resource_updated", uri });

test("a change that one replica publishes reaches the streams of every replica once, in order", async () => {
  const replicas = await replicasOf(3);
  const uris = Array.from({ length: 20 }, (_, at) => `note://${at}`);
  const streams = replicas.map((replica) => listen(replica));
  const bus = replicas[0].bus("everyone");
  bus.publish(toolsChanged);
  for (const uri of uris) bus.publish(updated(uri));
  bus.publish({ kind: "prompts_list_changed" });
  const expected = ["tools_list_changed", ...uris, "prompts_list_changed"];
  for (const received of streams) await expect.poll(() => received, { timeout: 10_000 }).toEqual(expected);
});

test("a change reaches only the streams of its own scope", async () => {
  const [first, second] = await replicasOf(2);
  const received = listen(second);
  first.bus("mallory").publish({ kind: "prompts_list_changed" });
  first.bus("everyone").publish(toolsChanged);
  await expect.poll(() => received).toEqual(["tools_list_changed"]);
});

test("changes reach the streams of other replicas after the database was stopped and started", async () => {
  const [first, second] = await replicasOf(2);
  const received = listen(second);
  first.bus("everyone").publish(updated("note://before"));
  await expect.poll(() => received).toHaveLength(1);
  await server.stop();
  first.bus("everyone").publish(updated("note://during"));
  await server.start();
  first.bus("everyone").publish(updated("note://after"));
  const expected = ["note://before", "note://during", "note://after"];
  await expect.poll(() => received, { timeout: 20_000 }).toEqual(expected);
});

test("a replica that starts without the database serves, and reports a change of every list when the database is back", async () => {
  await server.stop();
  const began = performance.now();
  const received = listen(await startReplica());
  expect(performance.now() - began).toBeLessThan(8_000);
  await server.start();
  const lists = ["tools_list_changed", "prompts_list_changed", "resources_list_changed"];
  await expect.poll(() => received, { timeout: 20_000 }).toEqual(lists);
});

test("a change is delivered without a notification of the database", async () => {
  const publisher = await startReplica();
  const received = listen(await startReplica({ hasNotifications: false }));
  publisher.bus("everyone").publish(toolsChanged);
  await expect.poll(() => received, { timeout: 5_000 }).toEqual(["tools_list_changed"]);
});

test("a listener that throws or stops does not keep changes from the others", async () => {
  const [first, second] = await replicasOf(2);
  const bus = second.bus("everyone");
  const received: string[] = [];
  const stop = bus.subscribe(() => received.push("stopped"));
  bus.subscribe(() => {
    throw new Error("a listener fails");
  });
  bus.subscribe(({ kind }) => received.push(kind));
  stop();
  first.bus("everyone").publish(toolsChanged);
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

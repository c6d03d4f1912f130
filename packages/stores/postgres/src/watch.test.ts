import { note } from "@toolpacks/store-sql/fixture";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { databaseBehindProxy, type ProxiedDatabase } from "./fixture/index.ts";
import { postgres } from "./index.ts";
import { createListener } from "./listener.ts";

let server: ProxiedDatabase;
beforeAll(async () => {
  server = await databaseBehindProxy();
  return () => server.remove();
});

test("a watch that began while the server was down can be repeated, and is not heard before", async () => {
  const store = postgres(server.address, { schema: "down", timeoutMs: 500 });
  await store.put(note, { text: "one" });
  await server.stop();
  const refused: number[] = [];
  await expect(store.watch((generation) => refused.push(generation))).rejects.toMatchObject({ code: "unavailable" });
  await server.start();
  const heard: number[] = [];
  const stop = await store.watch((generation) => heard.push(generation));
  await store.put(note, { text: "two" });
  await expect.poll(() => heard).toEqual([2]);
  expect(refused).toEqual([]);
  await stop();
  await store.end();
}, 60_000);

test("a connection that was dropped without a word is replaced", async () => {
  const schema = "dropped";
  const store = postgres(server.address, { schema });
  await store.put(note, { text: "one" });
  const database = openDatabase({ address: server.address, schema, connections: 1, timeoutMs: 500 });
  const listener = createListener(database, `toolpacks_${schema}`, 100);
  const heard: number[] = [];
  await listener.watch((generation) => heard.push(generation));
  const [backend] = await database.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND (query = 'SELECT' OR query LIKE 'LISTEN%')",
  );
  const pid = Number(backend?.["pid"]);
  process.kill(pid, "SIGSTOP");
  try {
    await store.put(note, { text: "two" });
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([2]);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await listener.end();
  await database.end();
  await store.end();
}, 60_000);

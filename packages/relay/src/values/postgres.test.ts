import type { OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { beforeAll, expect, test, vi } from "vitest";
import { storeValues } from "./store-values.ts";
import type { RelayValues } from "./relay-values.ts";

let server: TestDatabase;
const stores: OwnedStore[] = [];

beforeAll(async () => {
  server = await createDatabase();
  return async () => {
    await Promise.all(stores.map((store) => store.end()));
    await server.remove();
  };
});

/** Another replica. */
function replica(maxAgeHours = 24): RelayValues {
  const store = postgres(server.address);
  stores.push(store);
  return storeValues({ store, maxAgeHours });
}

async function whole(values: RelayValues, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of values.read(id)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("replicas that start together share one scope and its values", async () => {
  const replicas = [replica(), replica(), replica()];
  const bytes = Buffer.alloc(
    3_000_001,
    Uint8Array.from({ length: 251 }, (_, at) => at),
  );
  const input = { data: bytes, mimeType: "image/png", text: false };
  const put = await Promise.all(replicas.map((values) => values.put(input)));
  expect(new Set(put.map(({ id }) => id)).size).toBe(1);
  for (const values of replicas) expect((await whole(values, put[0]?.id ?? "")).equals(bytes)).toBe(true);
});

test("any replica removes an expired value", async () => {
  const [one, other] = [replica(1), replica(1)];
  const { id } = await one.put({ data: "for an hour\0", mimeType: "text/plain", text: true });
  expect((await whole(other, id)).toString()).toBe("for an hour\0");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_700_000 });
  await Promise.all([one.sweep(), other.sweep()]);
  vi.useRealTimers();
  expect(await one.info(id)).toBeUndefined();
  expect(await other.info(id)).toBeUndefined();
});

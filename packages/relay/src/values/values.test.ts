import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { newValueId, valueKind, valueOwner, valuePartKind, writeValue } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { memoryValues, memoryScopes } from "./memory-values.ts";
import { storeValues } from "./store-values.ts";
import type { RelayLimits, RelayValues } from "./relay-values.ts";

let folder = "";
let store: OwnedStore;
let scopes = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "relay-values-"));
  store = sqlite(path.join(folder, "store.db"));
});

afterAll(async () => {
  await store.end();
  await rm(folder, { recursive: true });
});

const scope = () => `scope-${(scopes += 1)}`;

const kinds: readonly [string, (limits?: RelayLimits) => RelayValues][] = [
  ["memoryValues", (limits) => memoryValues(limits)],
  ["storeValues", (limits) => storeValues({ store, scope: scope(), ...limits })],
];

const text = (data: string) => ({ data, mimeType: "text/plain", text: true });

async function whole(values: RelayValues, id: string, range = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of values.read(id, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Number of values that are kept at once. */
const valueCount = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 2_000 : 10_000;

describe.each(kinds)("%s", (_name, create) => {
  test("keeps a text with its size, characters and lines", async () => {
    const values = create();
    const body = "één\nzwei 🐟\n三";
    const info = await values.put(text(body));
    expect(info).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{20}$/),
      mimeType: "text/plain",
      text: true,
      size: Buffer.byteLength(body),
      characters: Array.from(body).length,
      lines: 3,
    });
    expect(await values.info(info.id)).toEqual(info);
    expect((await whole(values, info.id)).toString()).toBe(body);
    expect((await whole(values, info.id, { start: 2, end: 5 })).equals(Buffer.from(body).subarray(2, 5))).toBe(true);
    expect(await whole(values, info.id, { start: 400, end: 500 })).toHaveLength(0);
  });

  test("gives equal content the same id, and another type another id", async () => {
    const values = create();
    const first = await values.put(text("again"));
    expect((await values.put(text("again"))).id).toBe(first.id);
    expect((await values.put({ ...text("again"), data: Buffer.from("again") })).id).toBe(first.id);
    expect((await values.put({ ...text("again"), mimeType: "text/html" })).id).not.toBe(first.id);
    expect((await values.put({ ...text("again"), text: false })).id).not.toBe(first.id);
  });

  test("does not know ids of another scope, where equal content has another id", async () => {
    const [mine, theirs] = [create(), create()];
    const [one, other] = [await mine.put(text("secret")), await theirs.put(text("secret"))];
    expect(one.id).not.toBe(other.id);
    expect(await theirs.info(one.id)).toBeUndefined();
    await expect(whole(theirs, one.id)).rejects.toMatchObject({ code: "not_found" });
    expect(await mine.info("../secret")).toBeUndefined();
    expect(await mine.info("a".repeat(20))).toBeUndefined();
  });

  test("keeps bytes unchanged, also long ones", async () => {
    const values = create();
    const bytes = Buffer.alloc(
      20_000_003,
      Uint8Array.from({ length: 257 }, (_, at) => at % 256),
    );
    const info = await values.put({ data: bytes, mimeType: "image/png", text: false });
    expect(info).toMatchObject({ size: bytes.length, characters: 0, lines: 0, text: false });
    expect((await whole(values, info.id)).equals(bytes)).toBe(true);
    const range = { start: 524_000, end: 1_600_000 };
    expect((await whole(values, info.id, range)).equals(bytes.subarray(range.start, range.end))).toBe(true);
    const again = await values.put({ data: bytes, mimeType: "image/png", text: false });
    expect(again).toEqual(info);
    expect((await whole(values, info.id)).equals(bytes)).toBe(true);
  });

  test("keeps a printable type for any type of a server", async () => {
    const values = create();
    const typeOf = async (mimeType: string, isText: boolean) =>
      (await values.put({ data: "x", mimeType, text: isText })).mimeType;
    expect(await typeOf("Text/HTML; charset=utf-8", true)).toBe("text/html");
    expect(await typeOf(`text/\0${"é".repeat(5_000)}`, true)).toBe("text/plain");
    expect(await typeOf("", false)).toBe("application/octet-stream");
  });

  test("refuses a value that is too long", async () => {
    const values = create({ maxBytes: 10_000_000 });
    await expect(values.put(text("x".repeat(10_000_001)))).rejects.toMatchObject({ code: "too_large" });
  });

  test("removes the oldest values beyond the total size, and all values after their time", async () => {
    const values = create({ maxBytes: 3_000, maxAgeHours: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      const ids: string[] = [];
      for (const letter of "abcd") {
        ids.push((await values.put(text(letter.repeat(1_000)))).id);
        vi.advanceTimersByTime(1_000);
      }
      await values.sweep();
      const there = await Promise.all(ids.map(async (id) => (await values.info(id)) !== undefined));
      expect(there).toEqual([false, true, true, true]);
      vi.advanceTimersByTime(3_600_000);
      expect(await values.info(ids[3] ?? "")).toBeUndefined();
      await expect(whole(values, ids[3] ?? "")).rejects.toMatchObject({ code: "not_found" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("keeps many different values", { timeout: 240_000 }, async () => {
    const values = create();
    const ids: string[] = [];
    for (let at = 0; at < valueCount; at += 1) ids.push((await values.put(text(`value ${at}`))).id);
    expect(new Set(ids).size).toBe(valueCount);
    expect((await whole(values, ids[1_777] ?? "")).toString()).toBe("value 1777");
    await values.sweep();
    expect((await whole(values, ids[0] ?? "")).toString()).toBe("value 0");
  });
});

test("memoryScopes keeps the values of all scopes within one limit, and separate", async () => {
  const scopeOf = memoryScopes({ maxBytes: 2_000 });
  const [ann, bob] = [scopeOf("ann"), scopeOf("bob")];
  const first = await ann.put(text("a".repeat(900)));
  const other = await bob.put(text("a".repeat(900)));
  expect(other.id).not.toBe(first.id);
  expect(await scopeOf("ann").info(first.id)).toEqual(first);
  expect(await bob.info(first.id)).toBeUndefined();
  await bob.put(text("b".repeat(900)));
  await bob.sweep();
  expect(await ann.info(first.id)).toBeUndefined();
});

describe("storeValues", () => {
  test("creates nothing in a store before the first value, and leaves nothing after its removal", async () => {
    const own = sqlite(path.join(folder, "own.db"));
    const values = storeValues({ store: own, maxAgeHours: 1 });
    expect(await values.info("a".repeat(20))).toBeUndefined();
    expect(await own.generation()).toBe(0);
    const { id } = await values.put({ data: Buffer.alloc(2_000_000), mimeType: "image/png", text: false });
    expect((await own.query(valuePartKind)).total).toBe(4);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_700_000 });
    await storeValues({ store: own, maxAgeHours: 1 }).sweep();
    vi.useRealTimers();
    expect(await values.info(id)).toBeUndefined();
    expect((await own.query(valuePartKind)).total).toBe(0);
    expect((await own.query(valueKind)).total).toBe(0);
    await own.end();
  });

  test("removes the parts of an unfinished long value after the timeout", async () => {
    const own = sqlite(path.join(folder, "broken.db"));
    const values = storeValues({ store: own });
    async function* broken() {
      for (let at = 0; at < 20; at += 1) yield Buffer.alloc(524_288, at);
      throw new Error("the process has ended");
    }
    const written = writeValue(own, { ...text(""), data: broken() }, { id: newValueId(), owner: valueOwner("") });
    await expect(written).rejects.toThrow("has ended");
    expect((await own.query(valuePartKind)).total).toBe(16);
    await values.sweep();
    expect((await own.query(valuePartKind)).total).toBe(16);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_700_000 });
    await values.sweep();
    vi.useRealTimers();
    expect((await own.query(valuePartKind)).total).toBe(0);
    expect((await own.query(valueKind)).total).toBe(0);
    await own.end();
  });

  test("opens in another process only with the same scope and workspace", async () => {
    const { id } = await storeValues({ store, scope: "ann" }).put(text("for both"));
    expect((await whole(storeValues({ store, scope: "ann" }), id)).toString()).toBe("for both");
    expect(await storeValues({ store, scope: "bob" }).info(id)).toBeUndefined();
    expect(await storeValues({ store: store.in("elsewhere"), scope: "ann" }).info(id)).toBeUndefined();
  });
});

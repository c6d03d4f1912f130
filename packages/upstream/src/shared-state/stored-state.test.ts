import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError, defineKind, type OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { modernSite, serveWithOAuth } from "../authorization-server.fixture.ts";
import { UnreadableState, type StateKey } from "../remote-state.ts";
import type { UpstreamOptions } from "../options.ts";
import { upstream } from "../upstream.ts";
import { openSecretBox } from "./secret-box.ts";
import { withLease } from "./store-lease.ts";
import { createStoredState } from "./stored-state.ts";

const rough = fileURLToPath(new URL("../rough-server.fixture.ts", import.meta.url));
/** A folder that is removed after the test. */
function folder(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "shared-state-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const secretKey = () => randomBytes(32).toString("base64");
const environment = { TOOLPACKS_SECRET_KEY: secretKey() };

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
}, 60_000);

/** The store of one replica. */
function replica(address = server.address): OwnedStore {
  const store = address.startsWith("postgres") ? postgres(address) : sqlite(address);
  onTestFinished(() => store.end());
  return store;
}

const stateOf = (store: OwnedStore, env: NodeJS.ProcessEnv = environment) =>
  createStoredState({ store: store.internal(), openBox: () => openSecretBox(env) });

function createPack(options: UpstreamOptions) {
  const pack = upstream({ ...options, cacheDirectory: folder() });
  onTestFinished(() => pack.remote.end());
  return pack;
}

async function callTool(pack: ReturnType<typeof createPack>, name: string, args: object): Promise<string> {
  const tool = (await pack.tools()).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool is named ${name}`);
  const result = await tool.run(args, {
    signal: new AbortController().signal,
    progress: async () => {},
    principal: "",
  });
  return JSON.stringify(result);
}

const agree = async (url: URL) => void (await fetch(url));

describe("two replicas with one store", () => {
  test("refresh a sign-in once, with refresh tokens that may be used once", async () => {
    const site = await serveWithOAuth(modernSite());
    const [first, second] = [replica(), replica()].map((store) =>
      createPack({ name: "web", url: site.url, state: stateOf(store) }),
    ) as [ReturnType<typeof createPack>, ReturnType<typeof createPack>];
    await first.signIn(agree);
    const say = () =>
      Promise.all([first, second, first, second].map((pack) => callTool(pack, "web_say", { text: "hi" })));
    expect((await say()).every((text) => text.includes("modern hi"))).toBe(true);
    for (let times = 1; times <= 3; times += 1) {
      site.expire();
      expect((await say()).every((text) => text.includes("modern hi"))).toBe(true);
      expect(site.grants).toEqual(["authorization_code", ...Array.from({ length: times }, () => "refresh_token")]);
    }
  }, 30_000);

  test("see what the other one accepts, without a restart", async () => {
    const log = path.join(folder(), "log");
    const options = { name: "accepted", command: process.execPath, args: [rough, "plain", log] };
    const [first, second] = [replica(), replica()].map((store) =>
      createPack({ ...options, state: stateOf(store) }),
    ) as [ReturnType<typeof createPack>, ReturnType<typeof createPack>];
    expect((await first.check()).changes).toEqual([]);
    writeFileSync(`${log}.changes`, JSON.stringify({ description: "Another." }));
    await first.remote.end();
    expect((await first.check()).changes.length).toBeGreaterThan(0);
    const names = async () => (await first.tools()).map(({ name }) => name);
    expect(await names()).not.toContain("accepted_say");
    // Another server with the same name, on another replica.
    expect((await second.accept()).changes.length).toBeGreaterThan(0);
    await expect.poll(names, { timeout: 5_000 }).toContain("accepted_say");
  }, 30_000);

  test("hold a lease one after another, and take over the lease of a process that died", async () => {
    const stores = [replica().internal(), replica().internal()];
    let running = 0;
    let maxRunning = 0;
    const work = async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
    };
    const lease = { id: "lease", times: { renewMs: 100, leaseMs: 500 } };
    await Promise.all(Array.from({ length: 10 }, (_, at) => withLease({ store: stores[at % 2]!, ...lease }, work)));
    expect(maxRunning).toBe(1);

    const died = defineKind({ name: "remote_lease", schema: z.looseObject({}) });
    await stores[0]!.put(died, { holder: "died", renewals: 3 }, { id: "lease" });
    const began = performance.now();
    await withLease({ store: stores[1]!, ...lease }, work);
    expect(performance.now() - began).toBeGreaterThan(450);
  }, 30_000);

  test("keep a lease that is renewed for longer than it lasts", async () => {
    const [one, two] = [replica().internal(), replica().internal()];
    const lease = { id: "long", times: { renewMs: 50, leaseMs: 300 } };
    const ended: string[] = [];
    const long = withLease({ store: one, ...lease }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      ended.push("long");
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await withLease({ store: two, ...lease }, async () => void ended.push("short"));
    await long;
    expect(ended).toEqual(["long", "short"]);
  });
});

describe("a sign-in in a store", () => {
  const key: StateKey = { kind: "sign-in", server: "web", caller: "ada" };
  const secret = "canary-refresh-token";
  const newStore = () => replica(path.join(folder(), "store.db"));

  test("is encrypted, and the same text is encrypted differently each time", async () => {
    const store = newStore();
    const state = stateOf(store);
    await state.update(key, () => secret);
    await state.update({ ...key, caller: "bob" }, () => secret);
    const contents: string[] = [];
    for await (const line of store.export()) {
      expect(JSON.stringify(line)).not.toContain(secret);
      if ("data" in line) contents.push(String(line.data["content"]));
    }
    expect(new Set(contents).size).toBe(2);
    expect(await state.read(key)).toBe(secret);
    expect(await state.read({ ...key, caller: "eve" })).toBeUndefined();
  });

  test.each<[string, StateKey]>([
    ["another caller", { ...key, caller: "bob" }],
    ["another server", { ...key, server: "other" }],
  ])("cannot be decrypted after it was moved to %s", async (_, other) => {
    const store = newStore();
    const state = stateOf(store);
    await state.update(key, () => secret);
    await state.update(other, () => "their own");
    const records = defineKind({ name: "remote_state", schema: z.looseObject({}) });
    const { items } = await store.internal().query(records, {});
    const [from, to] = [key, other].map((wanted) =>
      items.find(({ data }) => data["caller"] === wanted.caller && data["server"] === wanted.server),
    );
    await store.internal().put(records, { ...to?.data, content: from?.data["content"] }, { id: to?.id ?? "" });
    await expect(state.read(other)).rejects.toThrow(UnreadableState);
    expect(await state.read(key)).toBe(secret);
  });

  test("cannot be changed, or read with another key, and a new sign-in replaces it", async () => {
    const site = await serveWithOAuth(modernSite());
    const store = newStore();
    const first = createPack({ name: "web", url: site.url, state: stateOf(store) });
    await first.signIn(agree);
    const state = stateOf(store, { TOOLPACKS_SECRET_KEY: secretKey() });
    const pack = createPack({ name: "web", url: site.url, state });
    await expect(pack.isSignedIn()).rejects.toThrow(/cannot be decrypted with \$TOOLPACKS_SECRET_KEY/);
    // A process with a wrong key must not overwrite the sign-in.
    expect((await pack.check()).problem?.message).toMatch(/cannot be decrypted with \$TOOLPACKS_SECRET_KEY/);
    expect(await first.isSignedIn()).toBe(true);
    await pack.signIn(agree);
    expect(await pack.isSignedIn()).toBe(true);
  });

  test("requires a key when it is written or read, and without a sign-in none is required", async () => {
    const store = newStore();
    const state = stateOf(store, {});
    expect(await state.read(key)).toBeUndefined();
    await state.update({ ...key, kind: "accepted" }, () => "{}");
    const missing = /^\$TOOLPACKS_SECRET_KEY: required, because sign-ins are kept encrypted in the shared store/;
    await expect(state.update(key, () => secret)).rejects.toThrow(missing);
    await stateOf(store).update(key, () => secret);
    await expect(state.read(key)).rejects.toThrow(missing);
    await expect(state.read(key)).rejects.toThrow(ConfigurationError);
  });

  test.each([
    ["too short", "c2hvcnQ="],
    ["too long", "x".repeat(48)],
    ["with other characters", `${secretKey()}=`],
  ])("refuses a key that is %s, without printing it", (_, wrong) => {
    const open = () => openSecretBox({ TOOLPACKS_SECRET_KEY: wrong });
    expect(open).toThrow(/^\$TOOLPACKS_SECRET_KEY: expected 32 bytes in base64/);
    expect(open).not.toThrow(wrong);
  });

  test("is in a workspace that no caller can open or list", async () => {
    const store = newStore();
    await stateOf(store).update(key, () => secret);
    const reserved = /"toolpacks:internal" is reserved/;
    expect(() => store.restrict({ workspaces: "all", workspace: "toolpacks:internal" })).toThrow(reserved);
    for (const one of [store.restrict({ workspaces: "all" }), store]) {
      expect(() => one.in("toolpacks:internal")).toThrow(reserved);
      expect(await one.workspaces()).toEqual([]);
    }
    const own = sqlite(path.join(folder(), "store.db"), { workspace: () => "toolpacks:internal" });
    await expect(own.workspaces()).rejects.toThrow(reserved);
    await own.end();
  });
});

import { readdirSync } from "node:fs";
import path from "node:path";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { createSurface } from "@toolpacks/surface";
import { describe, expect, test } from "vitest";
import { serveWithOAuth } from "./authorization-server.fixture.ts";
import { modernSite, serve } from "./http.fixture.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import type { UpstreamPack } from "./upstream.ts";
import { roughServer } from "./rough.fixture.ts";
import { connectAs, createUpstream, credentialsOf, folder } from "./wire.fixture.ts";

const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join();
const invoke = (client: Client, name: string, signal?: AbortSignal) =>
  client.callTool({ name: "tool_invoke", arguments: { name, args: {} } }, { ...(signal && { signal }) });

/** A server with a connection for each caller, of which some may be open at the same time. */
function perCaller(maxCallers: number) {
  const directory = folder();
  const { open, instances } = roughServer();
  const limit = new ConnectionLimit();
  const shared = {
    name: "own",
    open,
    identity: "caller" as const,
    cacheDirectory: path.join(directory, "cache"),
    dataDirectory: path.join(directory, "data"),
    limit,
    maxCallers,
  };
  const connect = async (caller: string, more: object = {}) => {
    const pack = createUpstream({ ...shared, caller, ...more });
    const client = await connectAs(await createSurface({ packs: [pack] }), credentialsOf(caller));
    const say = async () => {
      const text = textOf(await invoke(client, "own_say"));
      return text.startsWith("{") ? (JSON.parse(text) as { instance: number }).instance : text;
    };
    return { pack, client, say };
  };
  const isAlive = (id: unknown) => instances.find((one) => one.id === id)?.isGone === false;
  return { directory, connect, instances, isAlive };
}

describe("a server with an identity of each caller", () => {
  test("has a connection for each caller, and accepted tools and cached offers of its own", async () => {
    const { connect, directory } = perCaller(8);
    const [ada, bob] = await Promise.all([connect("ada"), connect("bob")]);
    const pids = await Promise.all([ada.say(), bob.say(), ada.say(), bob.say()]);
    expect(new Set(pids).size).toBe(2);
    expect(pids.slice(0, 2)).toEqual(pids.slice(2));
    const files = ["cache/upstream", "data/upstream/accepted"].map((name) => readdirSync(path.join(directory, name)));
    expect(files.map((names) => names.length)).toEqual([2, 2]);
  });

  test("that is idle is ended", async () => {
    const { connect, isAlive } = perCaller(8);
    const { say } = await connect("ada", { idleSeconds: 0.2 });
    const pid = await say();
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    expect(await say()).not.toBe(pid);
  });

  test("ends the connection that was unused for longest when another caller needs one", async () => {
    const { connect, instances, isAlive } = perCaller(2);
    const [ada, bob, eve] = await Promise.all([connect("ada"), connect("bob"), connect("eve")]);
    const ofAda = await ada.say();
    const ofBob = await bob.say();
    expect(await ada.say()).toBe(ofAda);
    const ofEve = await eve.say();
    expect([ofAda, ofBob, ofEve].map(isAlive)).toEqual([true, false, true]);
    expect(await bob.say()).not.toBe(ofBob);
    expect(instances).toHaveLength(4);
    expect(isAlive(ofAda)).toBe(false);
  });

  test("fails with unavailable when all connections are busy, and works again after that", async () => {
    const { connect } = perCaller(1);
    const [ada, bob] = await Promise.all([connect("ada"), connect("bob")]);
    await ada.say();
    const stop = new AbortController();
    const hanging = invoke(ada.client, "own_hang", stop.signal).catch((error: unknown) => error);
    const busy = /^unavailable: .*own is in use by 1 other callers, which is its limit \(maxCallers\)/;
    await expect.poll(() => bob.say()).toMatch(busy);
    stop.abort();
    expect(await hanging).toBeInstanceOf(Error);
    await expect.poll(() => bob.say()).toBe(2);
  });

  test("signs in each caller, and a caller without a sign-in is told the command with its id", async () => {
    const site = await serveWithOAuth(modernSite());
    const [dataDirectory, cacheDirectory] = [folder(), folder()];
    const create = (caller: string): UpstreamPack =>
      createUpstream({ name: "web", url: site.url, identity: "caller", caller, dataDirectory, cacheDirectory });
    await create("ada").signIn(async (url) => void (await fetch(url)));
    const [ofAda, ofBob] = await Promise.all(
      ["ada", "bob's"].map(async (caller) =>
        connectAs(await createSurface({ packs: [create(caller)] }), credentialsOf(caller)),
      ),
    );
    const say = { name: "tool_invoke", arguments: { name: "web_say", args: { text: "hi" } } };
    expect(textOf((await ofAda?.callTool(say)) as CallToolResult)).toBe("modern hi");
    const refused = textOf((await ofBob?.callTool(say)) as CallToolResult);
    expect(refused).toMatch(/^unavailable: web_say cannot be called: web requires a sign-in\n/);
    expect(refused).toContain(String.raw`toolpacks sign-in web --caller 'bob'\''s'`);
    expect(await create("ada").isSignedIn()).toBe(true);
    expect(await create("bob's").isSignedIn()).toBe(false);
    // A caller without a sign-in registers no client at the authorization server.
    expect(readdirSync(path.join(dataDirectory, "upstream", "sign-ins"))).toHaveLength(1);
  });
});

describe.each(["shared", "caller"] as const)("with the identity %s, the token of our caller", (identity) => {
  const canary = "canary-token-of-our-caller";

  async function use(pack: UpstreamPack, tool: string) {
    const client = await connectAs(await createSurface({ packs: [pack] }), credentialsOf("ada", canary));
    expect((await invoke(client, tool)).isError).not.toBe(true);
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  }

  test("is not passed on over HTTP: neither in headers nor in bodies", async () => {
    const seen: string[] = [];
    const inner = modernSite();
    const site = await serve(async (request, response) => {
      request.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
      await inner(request, response);
    });
    await use(createUpstream({ name: "web", url: site.url, identity, caller: "ada" }), "web_say");
    expect(seen.join("")).toContain("tools/call");
    expect(`${seen.join("")}${JSON.stringify(site.seen)}`).not.toContain(canary);
  });
});
